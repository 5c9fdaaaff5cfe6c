import type { ChildProcess } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentMuxError, asStorageError } from '@agent-mux/core/light';
import { type DaemonPaths, resolveDaemonPaths } from '../paths.ts';
import { type DaemonState, type FoundDaemon, probeDaemon } from './find.ts';
import { daemonError, readLogTail } from './record.ts';
import { daemonCommand, type Spawned, spawnDaemon } from './spawn.ts';

/** A daemon usually starts within a second; longer on a busy machine or while the store is migrated. */
const START_TIMEOUT_MS = 30_000;
/** A daemon that exits with code 0 has found another one; that one is waited for this long. */
const OTHER_TIMEOUT_MS = 10_000;
/** A daemon may fail because of another one that is starting. */
const FAILED_TIMEOUT_MS = 1000;
const POLL_MS = 25;

export interface EnsureOptions {
  timeoutMs?: number;
  /** Arguments for node. Default: the daemon of this package. */
  command?: readonly string[];
}

const pending = new Map<string, Promise<FoundDaemon>>();

/**
 * Returns the running daemon, starting it if necessary. Concurrent calls, also from several processes, result in one
 * daemon: the daemon takes a lock, and later ones exit.
 */
export function ensureDaemon(env: NodeJS.ProcessEnv = process.env, options: EnsureOptions = {}): Promise<FoundDaemon> {
  const paths = resolveDaemonPaths(env);
  const known = pending.get(paths.root);
  if (known) return known;
  const starting = findOrStart(paths, env, options).finally(() => pending.delete(paths.root));
  pending.set(paths.root, starting);
  return starting;
}

async function findOrStart(paths: DaemonPaths, env: NodeJS.ProcessEnv, options: EnsureOptions): Promise<FoundDaemon> {
  const { timeoutMs = START_TIMEOUT_MS, command = daemonCommand() } = options;
  const deadline = performance.now() + timeoutMs;
  const state = await probeDaemon(paths);
  if (state.is === 'there') return state.daemon;
  const spawned = state.is === 'absent' ? await spawnOrExplain(paths, env, command) : undefined;
  return waitForDaemon(paths, deadline, spawned);
}

async function spawnOrExplain(
  paths: DaemonPaths,
  env: NodeJS.ProcessEnv,
  command: readonly string[],
): Promise<Spawned> {
  try {
    return await spawnDaemon(paths, env, command);
  } catch (error) {
    throw cannotStart(error, paths) ?? error;
  }
}

async function waitForDaemon(paths: DaemonPaths, deadline: number, spawned: Spawned | undefined): Promise<FoundDaemon> {
  const end = spawned && watchEnd(spawned.child);
  for (let until = deadline; ; await sleep(POLL_MS)) {
    const state = await probeDaemon(paths);
    if (state.is === 'there') {
      // Another daemon was faster. Ours may still be waiting and would take over if that one is stopped right away.
      if (spawned && spawned.child.pid !== state.daemon.pid) spawned.child.kill();
      return state.daemon;
    }
    if (end?.how && state.is === 'absent') until = Math.min(until, end.until);
    if (performance.now() > until) throw await describeFailure(paths, state, spawned, end?.how);
  }
}

interface End {
  how: string | undefined;
  /** Waiting longer is of no use. */
  until: number;
}

function watchEnd(child: ChildProcess): End {
  const end: End = { how: undefined, until: Number.POSITIVE_INFINITY };
  const note = (how: string, waitMs: number) => {
    if (end.how === undefined) Object.assign(end, { how, until: performance.now() + waitMs });
  };
  child.once('error', ({ message }) => note(`failed to start: ${message}`, 0));
  child.once('exit', (code, signal) => {
    const how = signal ? `was killed by ${signal}` : `exited with code ${code}`;
    note(how, code === 0 ? OTHER_TIMEOUT_MS : FAILED_TIMEOUT_MS);
  });
  return end;
}

async function describeFailure(
  paths: DaemonPaths,
  state: DaemonState,
  spawned: Spawned | undefined,
  how: string | undefined,
): Promise<AgentMuxError> {
  const tail = spawned ? await readLogTail(paths, spawned.logFrom) : '';
  if (state.is !== 'silent' && how !== undefined) {
    // A daemon that cannot write cannot log the reason: its log is on the same disk.
    const failure = cannotStart(await findWriteError(paths.root), paths);
    if (failure) return failure;
  }
  if (state.is !== 'silent')
    return daemonError(how === undefined ? 'the daemon did not start in time' : `the daemon ${how}`, paths, tail);
  const { pid } = state.record;
  const message = `the daemon (pid ${pid}) is running but does not answer: ${state.why}`;
  return new AgentMuxError('NETWORK_ERROR', tail === '' ? message : `${message}; its log ends with:\n${tail}`, {
    hint: `run "amux down" to stop it (sessions keep running), or see ${paths.log}`,
  });
}

/** Undefined if it is not a storage failure. */
function cannotStart(error: unknown, paths: DaemonPaths): AgentMuxError | undefined {
  const failure = asStorageError(error, paths.root);
  if (!failure) return undefined;
  const { code, message, hint } = failure;
  return new AgentMuxError(code, `the daemon cannot start: ${message}`, { hint, cause: error });
}

/** Writes a whole page, since a full disk may still allow empty files. Returns the error, or undefined on success. */
async function findWriteError(folder: string): Promise<unknown> {
  const path = join(folder, `.write-check-${process.pid}`);
  try {
    await writeFile(path, Buffer.alloc(4096), { mode: 0o600 });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
