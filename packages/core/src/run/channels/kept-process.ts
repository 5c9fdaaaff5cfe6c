import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { leaves } from '../oneshot.ts';
import type { SpawnPlan } from '../place/link.ts';
import { AgentProcess, type ProcessExit, type ProcessSink } from '../process.ts';
import { makeScratch, removeScratch, scratchName, writeHelperFiles } from '../scratch.ts';
import { RUN_ID_VARIABLE } from '../terminate.ts';

/** A process that no run uses any more is kept so long for the next one; `ClientOptions.idleTimeout` sets it. */
export const DEFAULT_IDLE_MS = 5 * 60_000;
/** How long a process may take to leave once its input is closed. */
const LEAVES_WITHIN_MS = 3000;

/** How a process is started that no single run owns. Its helper files lie in a folder of its own. */
export type KeptLaunch = (scratchDir: string) => SpawnPlan;

export interface Keeping {
  /** It reads its input, and is given time to leave when that ends. */
  leavesAtEof: boolean;
  /** Of the only run that it is for. */
  runId?: string | undefined;
}

/**
 * A process that serves run after run of a client. It has an id and a scratch folder of its own, since it outlives the run
 * that it was started for. While no run uses it the host may exit, and takes it along.
 */
export class KeptProcess {
  readonly process: AgentProcess;
  readonly #scratch = scratchName();
  readonly #leavesAtEof: boolean;
  readonly #gone = Promise.withResolvers<void>();
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(launch: KeptLaunch, { leavesAtEof, runId }: Keeping, sink: ProcessSink) {
    this.#leavesAtEof = leavesAtEof;
    const id = runId ?? `shared-${randomBytes(8).toString('hex')}`;
    makeScratch(this.#scratch);
    try {
      const plan = launch(this.#scratch);
      writeHelperFiles(this.#scratch, plan.place ? undefined : plan.files);
      const env = { ...plan.env, [RUN_ID_VARIABLE]: id };
      this.process = new AgentProcess({ ...plan, env }, id, { ...sink, closed: (exit) => this.#closed(exit, sink) });
    } catch (error) {
      rmSync(this.#scratch, { recursive: true, force: true });
      throw error;
    }
    watchHost(this);
  }

  /** A run uses it. */
  use(): void {
    clearTimeout(this.#idle);
    this.process.keepHost(true);
  }

  /** Nobody uses it; after a while it is not kept any longer. */
  rest(idleMs: number, forget: () => void): void {
    clearTimeout(this.#idle);
    this.process.keepHost(false);
    this.#idle = setTimeout(() => {
      forget();
      void this.end();
    }, idleMs).unref();
  }

  /** Lets it leave, or ends it (`atOnce`: without waiting for that). Resolves when it and its files are gone. */
  end(atOnce = !this.#leavesAtEof): Promise<void> {
    clearTimeout(this.#idle);
    this.process.keepHost(true);
    if (atOnce || !this.#ending) this.#ending = this.#end(atOnce);
    return this.#ending;
  }

  /** The host exits: nothing can be waited for. */
  endNow(): void {
    this.process.killNow();
    try {
      rmSync(this.#scratch, { recursive: true, force: true });
    } catch {
      // Nobody is left to be told.
    }
  }

  async #end(atOnce: boolean): Promise<void> {
    // A paused pipe would keep it from leaving.
    this.process.resume();
    this.process.closeStdin();
    if (atOnce) await this.process.terminate();
    else await leaves(this.process, LEAVES_WITHIN_MS);
    await this.#gone.promise;
  }

  #closed(exit: ProcessExit, sink: ProcessSink): void {
    clearTimeout(this.#idle);
    sink.closed(exit);
    void removeScratch(this.#scratch).then(() => {
      unwatchHost(this);
      this.#gone.resolve();
    });
  }
}

/** All that live in this process, of whichever client. */
const kept = new Set<KeptProcess>();

function watchHost(one: KeptProcess): void {
  if (kept.size === 0) {
    process.on('beforeExit', endAll);
    process.on('exit', endAllNow);
  }
  kept.add(one);
}

function unwatchHost(one: KeptProcess): void {
  kept.delete(one);
  if (kept.size > 0) return;
  process.off('beforeExit', endAll);
  process.off('exit', endAllNow);
}

/** The host has nothing left to do: there is time to leave in peace. */
function endAll(): void {
  for (const one of kept) void one.end();
}

function endAllNow(): void {
  for (const one of kept) one.endNow();
}
