import { randomBytes } from 'node:crypto';
import { nameScratchFolder } from '../../files/scratch-name.ts';
import type { ConfigStamps } from '../../native-config/config-stamps.ts';
import type { SpawnPlan } from '../../process/place/link.ts';
import { AgentProcess, type ProcessExit, type ProcessSink } from '../../process/process.ts';
import { RUN_ID_VARIABLE } from '../../process/terminate.ts';
import { dropScratch, makeScratch, removeScratch, writeHelperFiles } from '../plan/scratch.ts';

/** A process that no run uses any more is kept so long for the next one; `ClientOptions.idleTimeout` sets it. */
export const DEFAULT_IDLE_MS = 5 * 60_000;
/** How long a process may take to leave once its input is closed. */
const LEAVES_WITHIN_MS = 3000;

/** A timer of node knows no longer time. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One that ends so soon after a run came to it was leaving already. */
const LEAVING_MS = 2000;

/** Called when a run comes to a process; `used`: it was there before. Says whether, if it ends now, it was leaving then. */
export function watchArrival(used: boolean): () => boolean {
  const at = performance.now();
  return () => used && performance.now() - at < LEAVING_MS;
}

/** How a process is started that no single run owns. */
export interface KeptLaunch {
  /** Its helper files lie in a folder of its own. */
  plan(scratchDir: string): SpawnPlan;
  /** The agent's own configuration as it is now. */
  config(): ConfigStamps;
}

interface Keeping {
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
  readonly #scratch = nameScratchFolder();
  readonly #leavesAtEof: boolean;
  readonly #gone = Promise.withResolvers<void>();
  /** It and its files. */
  readonly gone = this.#gone.promise;
  #used = false;
  /** As it was when the last run ended: the agent itself may have written to it until then. */
  readonly #config = new Map<string, string>();
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(launch: Pick<KeptLaunch, 'plan'>, { leavesAtEof, runId }: Keeping, sink: ProcessSink) {
    this.#leavesAtEof = leavesAtEof;
    const id = runId ?? `shared-${randomBytes(8).toString('hex')}`;
    makeScratch(this.#scratch);
    try {
      const plan = launch.plan(this.#scratch);
      writeHelperFiles(this.#scratch, plan.place ? {} : plan);
      const env = { ...plan.env, [RUN_ID_VARIABLE]: id };
      this.process = new AgentProcess({ ...plan, env }, id, { ...sink, closed: (exit) => this.#takeExit(exit, sink) });
    } catch (error) {
      dropScratch(this.#scratch);
      throw error;
    }
    watchHost(this);
  }

  /** Not when it is gone, nor when the agent's configuration has changed while nobody used it: it would not know. */
  serves(config: ConfigStamps): boolean {
    if (!this.process.living) return false;
    return this.#used || [...config].every(([path, stamp]) => (this.#config.get(path) ?? stamp) === stamp);
  }

  /** A run uses it. */
  use(): void {
    this.#used = true;
    clearTimeout(this.#idle);
    this.process.keepHost(true);
  }

  /** Nobody uses it; after a while it is not kept any longer. */
  rest(idleMs: number, config: ConfigStamps, forget: () => void): void {
    this.#used = false;
    for (const [path, stamp] of config) this.#config.set(path, stamp);
    clearTimeout(this.#idle);
    this.process.keepHost(false);
    this.#idle = setTimeout(
      () => {
        forget();
        void this.end();
      },
      Math.min(idleMs, LONGEST_TIMER_MS),
    ).unref();
  }

  /** Lets it leave, or ends it (`atOnce`: without waiting for that). Resolves when it and its files are gone. */
  end(atOnce = !this.#leavesAtEof): Promise<void> {
    clearTimeout(this.#idle);
    this.process.keepHost(true);
    if (atOnce || !this.#ending) this.#ending = this.#end(atOnce);
    return this.#ending;
  }

  async #end(atOnce: boolean): Promise<void> {
    // A paused pipe would keep it from leaving.
    this.process.resume();
    this.process.closeStdin();
    if (atOnce) await this.process.terminate();
    else await this.process.finish(LEAVES_WITHIN_MS);
    await this.gone;
  }

  #takeExit(exit: ProcessExit, sink: ProcessSink): void {
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
  if (kept.size === 0) process.on('beforeExit', endAll);
  kept.add(one);
}

function unwatchHost(one: KeptProcess): void {
  kept.delete(one);
  if (kept.size === 0) process.off('beforeExit', endAll);
}

/** The host has nothing left to do: there is time to leave in peace. Of any other end the watchman takes care. */
function endAll(): void {
  for (const one of kept) void one.end();
}
