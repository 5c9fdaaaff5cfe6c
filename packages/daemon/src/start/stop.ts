import { setTimeout as sleep } from 'node:timers/promises';
import { resolveDaemonPaths } from '../paths.ts';
import { clientOf, probeDaemon } from './find.ts';
import { type DaemonRecord, daemonError, isAlive, readRecord } from './record.ts';

/** Time to finish pending writes. A courtesy: the daemon can be killed safely at any time. */
const REQUEST_GRACE_MS = 10_000;
const SIGNAL_GRACE_MS = 5000;
const POLL_MS = 25;

export interface StoppedDaemon {
  pid: number;
  /** A request, or a signal if it did not answer. */
  by: 'request' | 'SIGTERM' | 'SIGKILL';
}

/** Stops the daemon; sessions keep running. Null if there was none. */
export async function stopDaemon(env: NodeJS.ProcessEnv = process.env): Promise<StoppedDaemon | null> {
  const paths = resolveDaemonPaths(env);
  const record = await readRecord(paths);
  if (!record || !isAlive(record)) return null;
  const { pid } = record;
  const state = await probeDaemon(paths);
  if (state.is === 'there') {
    const { client, close } = clientOf(state.daemon);
    const isAccepted = await client.shutdown().then(
      () => true,
      () => false,
    );
    close();
    if (isAccepted && (await isGone(record, REQUEST_GRACE_MS))) return { pid, by: 'request' };
  }
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    sendSignal(record, signal);
    if (await isGone(record, SIGNAL_GRACE_MS)) return { pid, by: signal };
  }
  throw daemonError(`the daemon (pid ${pid}) cannot be stopped`, paths);
}

/** Signals only the process of the record. */
function sendSignal(record: DaemonRecord, signal: NodeJS.Signals): void {
  if (!isAlive(record)) return;
  try {
    process.kill(record.pid, signal);
  } catch {
    // It exited in the meantime, or belongs to another user; the next check shows which.
  }
}

async function isGone(record: DaemonRecord, withinMs: number): Promise<boolean> {
  for (const until = performance.now() + withinMs; isAlive(record); await sleep(POLL_MS))
    if (performance.now() > until) return false;
  return true;
}
