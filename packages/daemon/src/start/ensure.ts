import type { ChildProcess } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentMuxError, asStorageError } from '@agent-mux/core/light';
import { findPlaces, type Places } from '../places.ts';
import { type DaemonState, type FoundDaemon, lookForDaemon } from './find.ts';
import { daemonError, readLogTail } from './record.ts';
import { daemonCommand, type Spawned, spawnDaemon } from './spawn.ts';

/** A daemon is there within a second; a machine that is busy or a store that is migrated takes longer. */
const START_TIMEOUT_MS = 30_000;
/** One that ends well has seen that another was faster: so long is that one waited for. */
const OTHER_TIMEOUT_MS = 10_000;
/** One that fails may have failed of the other. */
const FAILED_TIMEOUT_MS = 1000;
const POLL_MS = 25;

export interface EnsureOptions {
  timeoutMs?: number;
  /** What node is started with; default the daemon of this package. */
  command?: readonly string[];
}

const underWay = new Map<string, Promise<FoundDaemon>>();

/**
 * The running daemon, started where there is none. However many ask at once, in however many processes, there is one: the daemon
 * itself takes a lock, and those that come too late leave.
 */
export function ensureDaemon(env: NodeJS.ProcessEnv = process.env, options: EnsureOptions = {}): Promise<FoundDaemon> {
  const places = findPlaces(env);
  const known = underWay.get(places.root);
  if (known) return known;
  const starting = startUnlessThere(places, env, options).finally(() => underWay.delete(places.root));
  underWay.set(places.root, starting);
  return starting;
}

async function startUnlessThere(places: Places, env: NodeJS.ProcessEnv, options: EnsureOptions): Promise<FoundDaemon> {
  const { timeoutMs = START_TIMEOUT_MS, command = daemonCommand() } = options;
  const deadline = performance.now() + timeoutMs;
  const state = await lookForDaemon(places);
  if (state.is === 'there') return state.daemon;
  const spawned = state.is === 'absent' ? await spawnExplained(places, env, command) : undefined;
  return waitForDaemon(places, deadline, spawned);
}

async function spawnExplained(places: Places, env: NodeJS.ProcessEnv, command: readonly string[]): Promise<Spawned> {
  try {
    return await spawnDaemon(places, env, command);
  } catch (error) {
    throw cannotStart(error, places) ?? error;
  }
}

async function waitForDaemon(places: Places, deadline: number, spawned: Spawned | undefined): Promise<FoundDaemon> {
  const end = spawned && watchEnd(spawned.child);
  for (let until = deadline; ; await sleep(POLL_MS)) {
    const state = await lookForDaemon(places);
    if (state.is === 'there') {
      // Another was faster. Ours may not have come to see it, and would follow one that is told to go right away.
      if (spawned && spawned.child.pid !== state.daemon.pid) spawned.child.kill();
      return state.daemon;
    }
    if (end?.how && state.is === 'absent') until = Math.min(until, end.until);
    if (performance.now() > until) throw await describeFailure(places, state, spawned, end?.how);
  }
}

interface End {
  how: string | undefined;
  /** There is nothing to wait for after that. */
  until: number;
}

function watchEnd(child: ChildProcess): End {
  const end: End = { how: undefined, until: Number.POSITIVE_INFINITY };
  const note = (how: string, waitMs: number) => {
    if (end.how === undefined) Object.assign(end, { how, until: performance.now() + waitMs });
  };
  child.once('error', ({ message }) => note(`could not be started: ${message}`, 0));
  child.once('exit', (code, signal) => {
    const how = signal ? `was ended by ${signal}` : `ended with code ${code}`;
    note(how, code === 0 ? OTHER_TIMEOUT_MS : FAILED_TIMEOUT_MS);
  });
  return end;
}

async function describeFailure(
  places: Places,
  state: DaemonState,
  spawned: Spawned | undefined,
  how: string | undefined,
): Promise<AgentMuxError> {
  const tail = spawned ? await readLogTail(places, spawned.logFrom) : '';
  if (state.is !== 'silent' && how !== undefined) {
    // A daemon that cannot write cannot say so either: its log is on the same disk.
    const failure = cannotStart(await tryToWrite(places.root), places);
    if (failure) return failure;
  }
  if (state.is !== 'silent')
    return daemonError(how === undefined ? 'the daemon is not ready in time' : `the daemon ${how}`, places, tail);
  const { pid } = state.record;
  const message = `the daemon (process ${pid}) is there and does not answer: ${state.why}`;
  return new AgentMuxError('NETWORK_ERROR', tail === '' ? message : `${message}; it said:\n${tail}`, {
    hint: `"amux down" ends it; sessions go on without it. ${places.log} has more`,
  });
}

/** Undefined: the failure is not one of the disk. */
function cannotStart(error: unknown, places: Places): AgentMuxError | undefined {
  const failure = asStorageError(error, places.root);
  if (!failure) return undefined;
  const { code, message, hint } = failure;
  return new AgentMuxError(code, `the daemon cannot start: ${message}`, { hint, cause: error });
}

/** A page: a file system may still have names to give when it has no room. Returns what the system says; undefined: it worked. */
async function tryToWrite(folder: string): Promise<unknown> {
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
