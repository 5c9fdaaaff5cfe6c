import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDaemonClient, createHttp, type DaemonClient, type Session, type SessionEvent } from '@agent-mux/api';
import { isRecord, listProcessTree } from '@agent-mux/core';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { isKeeperAlive, readRecord } from '../src/keeper/record.ts';
import { type DaemonPaths, daemonPathsIn } from '../src/paths.ts';
import { runIdOf } from '../src/sessions/ids.ts';

/** Folder below TMPDIR for the sockets of shared keepers. It is not deleted after each test. */
const SHARED_SOCKETS = `agent-mux-${process.getuid?.() ?? 0}`;
/** The built daemon, which is what users run, and which starts three times as fast. */
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/agent-mux-compile', import.meta.url));

/** A machine with a daemon: a home, a working folder, and the processes started there. */
export interface Machine {
  root: string;
  work: string;
  paths: DaemonPaths;
  env: Record<string, string>;
  /** Client of the running daemon. */
  readonly client: DaemonClient;
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  log(): string;
  /** Resolves when it is ready. */
  start(extra?: Record<string, string>): Promise<void>;
  /** With SIGKILL; waits for the exit. */
  kill(): Promise<void>;
  /** With SIGTERM; waits for the exit. */
  end(): Promise<void>;
  configure(daemon: Record<string, unknown>, rest?: Record<string, unknown>): void;
  keeperOf(id: string): { pid: number; socket: string } | undefined;
  /** All stored events of a session. */
  events(id: string): Promise<SessionEvent[]>;
  /** Waits until the session matches. */
  until(id: string, matches: (session: Session) => boolean): Promise<Session>;
  /** Pids of the agent's processes in its last launch. */
  agentsOf(session: Pick<Session, 'id' | 'launch'>): number[];
}

/** Machines for the tests of a file. All processes are stopped after each test, and all files removed at the end. */
export function useMachines(): {
  start(
    daemon?: Record<string, unknown>,
    rest?: Record<string, unknown>,
    /** Before the daemon is started. */
    prepare?: (machine: Machine) => void,
  ): Promise<Machine>;
} {
  // Real daemons are started and killed, possibly on a slow machine.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
  const created: { machine: Machine; stop(): Promise<void> }[] = [];
  const roots: string[] = [];

  afterEach(async () => {
    for (const { stop } of created.splice(0)) await stop();
  });
  afterAll(() => {
    for (const root of [...roots, join(tmpdir(), SHARED_SOCKETS)])
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  });

  return {
    async start(daemon, rest, prepare) {
      const root = realpathSync(mkdtempSync(join(tmpdir(), 'd-')));
      roots.push(root);
      const { machine, stop } = createMachine(root);
      created.push({ machine, stop });
      if (daemon || rest) machine.configure(daemon ?? {}, rest);
      prepare?.(machine);
      await machine.start();
      return machine;
    },
  };
}

function createMachine(root: string): { machine: Machine; stop(): Promise<void> } {
  const work = join(root, 'work');
  mkdirSync(work);
  mkdirSync(join(root, 'home'));
  // A killed shared keeper leaves its socket here.
  mkdirSync(join(root, 'run'), { mode: 0o700 });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    TMPDIR: tmpdir(),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_RUNTIME_DIR: join(root, 'run'),
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(root, 'cache'),
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    AGENT_MUX_PORT: '0',
    DEMO_SPEED: '0',
  };
  const paths = daemonPathsIn(join(root, 'state', 'agent-mux', 'daemon'));
  let child: ChildProcess | undefined;
  let output = '';
  const record = (): { pid: number; url: string } => {
    const value: unknown = JSON.parse(readFileSync(paths.record, 'utf8'));
    if (!isRecord(value) || typeof value.pid !== 'number' || typeof value.url !== 'string')
      throw new Error('no record');
    return { pid: value.pid, url: value.url };
  };
  const token = () => readFileSync(paths.token, 'utf8').trim();

  /** One client per daemon, since its connections belong to that daemon. */
  let known: { url: string; client: DaemonClient } | undefined;
  function clientOf(url: string): DaemonClient {
    if (known?.url !== url)
      known = { url, client: createDaemonClient(createHttp(async () => ({ url, token: token() }))) };
    return known.client;
  }

  async function start(extra: Record<string, string> = {}): Promise<void> {
    const started = spawn(process.execPath, [MAIN], {
      env: { ...env, ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += chunk));
    const isReady = () => {
      if (started.exitCode !== null) throw new Error(`the daemon has ended: ${output}`);
      return existsSync(paths.record) && record().pid === started.pid;
    };
    await expect.poll(isReady, { timeout: 60_000, message: output }).toBe(true);
  }

  async function endBy(signal: NodeJS.Signals): Promise<void> {
    const ending = child;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = new Promise((resolve) => ending.once('close', resolve));
    ending.kill(signal);
    await gone;
  }

  const machine: Machine = {
    root,
    work,
    paths,
    env,
    get client() {
      return clientOf(record().url);
    },
    get pid() {
      return record().pid;
    },
    get url() {
      return record().url;
    },
    get token() {
      return token();
    },
    log: () => output,
    start,
    kill: () => endBy('SIGKILL'),
    end: () => endBy('SIGTERM'),
    configure(daemon, rest = {}) {
      const folder = join(env.HOME, '.config', 'agent-mux');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ daemon, ...rest }));
    },
    keeperOf: (id) => readRecord(join(paths.sessions, id)),
    async events(id) {
      const all: SessionEvent[] = [];
      for (let after = -1; ; ) {
        const page = await machine.client.sessions.events(id, { after, limit: 500 });
        all.push(...page.events);
        after = page.lastSeq;
        if (!page.hasMore) return all;
      }
    },
    async until(id, matches) {
      let session = await machine.client.sessions.get(id);
      const check = async () => {
        session = await machine.client.sessions.get(id);
        return matches(session);
      };
      await expect.poll(check, { timeout: 40_000, interval: 30, message: JSON.stringify(session) }).toBe(true);
      return session;
    },
    agentsOf: ({ id, launch }) => listProcessTree(-1, runIdOf(id, launch)).map(({ pid }) => pid),
  };

  async function stop(): Promise<void> {
    await endBy('SIGKILL');
    // A keeper that was just being started has no record yet and would continue without its daemon.
    for (const pid of keepersBelow(paths.sessions)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => keepersBelow(paths.sessions), { timeout: 10_000 }).toEqual([]);
    const sessions = existsSync(paths.sessions) ? readdirSync(paths.sessions) : [];
    for (const id of sessions) {
      const keeper = readRecord(join(paths.sessions, id));
      if (keeper && isKeeperAlive(keeper)) process.kill(keeper.pid, 'SIGKILL');
      if (keeper) await expect.poll(() => isKeeperAlive(keeper), { timeout: 10_000 }).toBe(false);
      for (let launch = 1; launch < 5; launch++)
        await expect.poll(() => listProcessTree(-1, runIdOf(id, launch)), { timeout: 15_000 }).toEqual([]);
    }
    // The reaper of a killed keeper removes its scratch folder last.
    const scratch = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith('agent-mux-') && name !== SHARED_SOCKETS);
    await expect.poll(scratch, { timeout: 15_000 }).toEqual([]);
  }
  return { machine, stop };
}

/** False for a zombie, which only waits for its parent. Linux only. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Keepers have the folder of their session as an argument. */
function keepersBelow(sessions: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    try {
      const isKeeper = /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${sessions}/`);
      return isKeeper ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Whether no number is missing, duplicated or out of order. */
export function isDense(events: readonly SessionEvent[]): boolean {
  return events.every(({ seq }, index) => seq === index);
}
