/** How long a daemon takes until it is ready: with nothing in its store, and with a thousand sessions. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openStore } from '../../../packages/daemon/src/store/sqlite/sqlite-store.ts';
import { createCommit, createSession } from '../../../packages/daemon/src/store/suite/fixtures.ts';
import { median } from '../measure.ts';
import type { Row } from '../row.ts';
import { databaseIn, startBuiltDaemon } from './built-daemon.ts';

const SESSIONS = 1000;
const EVENTS_EACH = 200;
/** One in this many sessions can continue; the others have ended. */
const EVERY_PARKED = 2;
const ROUNDS = 7;

export async function startRows(scratch: string): Promise<Row[]> {
  const [empty, full] = [join(scratch, 'empty'), join(scratch, 'full')];
  await fillStore(databaseIn(full));
  const times: { empty: number[]; full: number[] } = { empty: [], full: [] };
  // In turns; the first round fills caches and does not count.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [without, with_] = [await readyIn(empty), await readyIn(full)];
    if (round === 0) continue;
    times.empty.push(without);
    times.full.push(with_);
  }
  const [none, all] = [median(times.empty), median(times.full)];
  return [
    { name: 'daemon ready, without sessions', value: none, unit: 'ms' },
    { name: 'daemon ready, with 1,000 sessions', value: all, unit: 'ms', target: 500 },
  ];
}

async function readyIn(home: string): Promise<number> {
  const daemon = await startBuiltDaemon(home);
  await daemon.stop();
  return daemon.readyMs;
}

/** With a thousand sessions that have said something. */
export async function fillStore(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const store = await openStore(path, { now: Date.now });
  for (let at = 0; at < SESSIONS; at += 1) {
    const id = `s${String(at).padStart(12, '0')}`;
    const isParked = at % EVERY_PARKED === 0;
    const state = isParked ? { parked: true } : { isTerminated: true, activity: 'exited' as const };
    const now = Date.now();
    const times = { createdAt: now, updatedAt: now, lastActiveAt: now, activitySince: now };
    await store.insertSession(createSession(id, { title: `session ${at}`, ...times, ...state }));
    await store.commit([createCommit(id, 0, EVENTS_EACH - 1, { now })]);
  }
  await store.close();
}
