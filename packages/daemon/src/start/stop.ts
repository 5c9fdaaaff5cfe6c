import { setTimeout as sleep } from 'node:timers/promises';
import { findPlaces } from '../places.ts';
import { clientOf, lookForDaemon } from './find.ts';
import { type DaemonRecord, daemonError, isAlive, readRecord } from './record.ts';

/** For what it has begun to write. It may be killed at any time, so that this is patience, not safety. */
const ASKED_MS = 10_000;
const SIGNALLED_MS = 5000;
const POLL_MS = 25;

export interface StoppedDaemon {
  pid: number;
  /** By a request, or by a signal where it did not answer. */
  by: 'request' | 'SIGTERM' | 'SIGKILL';
}

/** Ends the daemon; sessions go on without it. Null: there was none. */
export async function stopDaemon(env: NodeJS.ProcessEnv = process.env): Promise<StoppedDaemon | null> {
  const places = findPlaces(env);
  const record = await readRecord(places);
  if (!record || !isAlive(record)) return null;
  const { pid } = record;
  const state = await lookForDaemon(places);
  if (state.is === 'there') {
    const { client, close } = clientOf(state.daemon);
    const isAsked = await client.shutdown().then(
      () => true,
      () => false,
    );
    close();
    if (isAsked && (await isGone(record, ASKED_MS))) return { pid, by: 'request' };
  }
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    tell(record, signal);
    if (await isGone(record, SIGNALLED_MS)) return { pid, by: signal };
  }
  throw daemonError(`the daemon (process ${pid}) cannot be ended`, places);
}

/** Only to the very process of the record. */
function tell(record: DaemonRecord, signal: NodeJS.Signals): void {
  if (!isAlive(record)) return;
  try {
    process.kill(record.pid, signal);
  } catch {
    // It has gone in between, or is not ours; the next look says which.
  }
}

async function isGone(record: DaemonRecord, withinMs: number): Promise<boolean> {
  for (const until = performance.now() + withinMs; isAlive(record); await sleep(POLL_MS))
    if (performance.now() > until) return false;
  return true;
}
