import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DaemonCommand, daemonFolder, type RunningDaemon, startDaemon } from '../../chaos/drive/daemon-process.ts';
import { waitFor } from '../../chaos/drive/wait.ts';
import type { ConnectDaemon, SessionClient } from './session-client.ts';

const START_LIMIT_MS = 60_000;
const EXIT_LIMIT_MS = 15_000;

export interface DaemonCarrierOptions {
  command: DaemonCommand;
  connect: ConnectDaemon;
  home: string;
  /** The user's environment; the agents get their allowed variables from it. */
  env: Readonly<Record<string, string>>;
  /**
   * Variables of each run. The daemon gets them too: it does not store them, and needs them to relaunch after a
   * restart.
   */
  runEnv: Readonly<Record<string, string>>;
  log: string;
}

/** A real daemon of one worker, with the connected client. Its state is inside the home of the worker. */
export class DaemonCarrier {
  readonly client: SessionClient;
  readonly #command: DaemonCommand;
  readonly #env: Record<string, string>;
  readonly #log: string;
  #running: RunningDaemon | undefined;

  private constructor({ command, connect, home, env, runEnv, log }: DaemonCarrierOptions) {
    const state = { XDG_STATE_HOME: join(home, '.local', 'state') };
    this.#command = command;
    this.#env = { ...env, ...runEnv, ...state, AGENT_MUX_PORT: '0' };
    this.#log = log;
    this.client = connect({ env: { ...env, ...state }, start: false });
  }

  static async start(options: DaemonCarrierOptions): Promise<DaemonCarrier> {
    const daemon = new DaemonCarrier(options);
    await daemon.ensure();
    return daemon;
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Starts it again after `kill`. */
  async ensure(): Promise<void> {
    if (this.#running && isRunning(this.#running)) return;
    this.#running = await startDaemon(this.#command, this.#env, this.#log, START_LIMIT_MS);
  }

  /** SIGKILL: it gets no chance to write anything. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Starts over with an empty state, so that a case that broke the daemon does not break the next one. */
  async reset(): Promise<void> {
    await this.kill();
    rmSync(this.#root, { recursive: true, force: true });
    await this.ensure();
  }

  /** Removes every session. Returns what is left of them in the folder of the daemon. */
  async clear(): Promise<string[]> {
    await this.ensure();
    for (;;) {
      const { sessions } = await this.client.sessions.list();
      if (sessions.length === 0) break;
      for (const { id } of sessions) await this.client.sessions.remove(id);
    }
    return ['sessions', 'worktrees'].flatMap((name) => this.#entries(name).map((entry) => `${name}/${entry}`));
  }

  /** Where the journal and the keeper's record of this session are. */
  sessionFolder(id: string): string {
    return join(this.#root, 'sessions', id);
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.#end('SIGTERM');
  }

  get #root(): string {
    return daemonFolder(this.#env.XDG_STATE_HOME ?? '');
  }

  #entries(name: string): string[] {
    const folder = join(this.#root, name);
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const running = this.#running;
    if (!running || !isRunning(running)) return;
    process.kill(running.pid, signal);
    await waitFor(`the daemon ends after ${signal}`, EXIT_LIMIT_MS, () => !isRunning(running));
  }
}

function isRunning({ child }: RunningDaemon): boolean {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}
