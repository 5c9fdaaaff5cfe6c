import { randomBytes } from 'node:crypto';
import { nameScratchFolder } from '../../files/scratch-name.ts';
import type { ConfigStamps } from '../../native-config/config-stamps.ts';
import { AgentProcess, type ProcessExit, type ProcessSink } from '../../process/process.ts';
import type { SpawnPlan } from '../../process/remote/link.ts';
import { RUN_ID_VARIABLE } from '../../process/terminate.ts';
import { createScratch, dropScratch, removeScratch, writeHelperFiles } from '../plan/scratch.ts';

/** How long an idle process is pooled for the next run; set by `ClientOptions.idleTimeout`. */
export const DEFAULT_IDLE_MS = 5 * 60_000;
/** Time a process has to exit after its input is closed. */
const LEAVES_WITHIN_MS = 3000;

/** Longest delay of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A process that ends within this time after a run joined it was already exiting. */
const LEAVING_MS = 2000;

/**
 * Call when a run joins a process (`used`: it already existed). The result says whether an exit now means it was
 * exiting.
 */
export function watchArrival(used: boolean): () => boolean {
  const at = performance.now();
  return () => used && performance.now() - at < LEAVING_MS;
}

/** How to start a process that outlives single runs. */
export interface PooledLaunch {
  /** The spawn plan; helper files go to the process's own scratch folder. */
  plan(scratchDir: string): SpawnPlan;
  /** Stamps of the agent's native configuration files as they are now. */
  config(): ConfigStamps;
}

interface PoolOptions {
  /** The process reads stdin to the end and gets time to exit after that. */
  leavesAtEof: boolean;
  /** Set if the process serves a single run. */
  runId?: string | undefined;
}

/**
 * A process that serves one run of a client after another. It has its own id and scratch folder, since it outlives the
 * run that started it. While it is idle the host may exit, and the process exits with it.
 */
export class PooledProcess {
  readonly process: AgentProcess;
  readonly #scratch = nameScratchFolder();
  readonly #leavesAtEof: boolean;
  readonly #gone = Promise.withResolvers<void>();
  /** Resolves when the process has exited and its files are removed. */
  readonly gone = this.#gone.promise;
  #used = false;
  /** Stamps from when the last run ended: the agent itself may write its configuration until then. */
  readonly #config = new Map<string, string>();
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(launch: Pick<PooledLaunch, 'plan'>, { leavesAtEof, runId }: PoolOptions, sink: ProcessSink) {
    this.#leavesAtEof = leavesAtEof;
    const id = runId ?? `shared-${randomBytes(8).toString('hex')}`;
    createScratch(this.#scratch);
    try {
      const plan = launch.plan(this.#scratch);
      writeHelperFiles(this.#scratch, plan.remote ? {} : plan);
      const env = { ...plan.env, [RUN_ID_VARIABLE]: id };
      this.process = new AgentProcess({ ...plan, env }, id, {
        ...sink,
        closed: (exit) => this.#handleExit(exit, sink),
      });
    } catch (error) {
      dropScratch(this.#scratch);
      throw error;
    }
    watchHost(this);
  }

  /** False if it has exited, or if the agent's configuration changed while it was idle, which it would not notice. */
  serves(config: ConfigStamps): boolean {
    if (!this.process.living) return false;
    return this.#used || [...config].every(([path, stamp]) => (this.#config.get(path) ?? stamp) === stamp);
  }

  /** Marks it as used by a run. */
  use(): void {
    this.#used = true;
    clearTimeout(this.#idle);
    this.process.keepHost(true);
  }

  /** Marks it as idle; it is ended after `idleMs`. */
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

  /** Lets it exit, or ends it (`atOnce`) without waiting. Resolves when it and its files are gone. */
  end(atOnce = !this.#leavesAtEof): Promise<void> {
    clearTimeout(this.#idle);
    this.process.keepHost(true);
    if (atOnce || !this.#ending) this.#ending = this.#end(atOnce);
    return this.#ending;
  }

  async #end(atOnce: boolean): Promise<void> {
    // A paused pipe would keep it from exiting.
    this.process.resume();
    this.process.closeStdin();
    if (atOnce) await this.process.terminate();
    else await this.process.finish(LEAVES_WITHIN_MS);
    await this.gone;
  }

  #handleExit(exit: ProcessExit, sink: ProcessSink): void {
    clearTimeout(this.#idle);
    sink.closed(exit);
    void removeScratch(this.#scratch).then(() => {
      unwatchHost(this);
      this.#gone.resolve();
    });
  }
}

/** All pooled processes of this host, of any client. */
const pooled = new Set<PooledProcess>();

function watchHost(one: PooledProcess): void {
  if (pooled.size === 0) process.on('beforeExit', endAll);
  pooled.add(one);
}

function unwatchHost(one: PooledProcess): void {
  pooled.delete(one);
  if (pooled.size === 0) process.off('beforeExit', endAll);
}

/** The host has nothing left to do, so there is time for a clean exit. The reaper handles all other ends. */
function endAll(): void {
  for (const one of pooled) void one.end();
}
