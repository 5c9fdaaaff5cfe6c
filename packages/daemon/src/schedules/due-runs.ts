import type { Cron } from './cron.ts';
import { MINUTE_MS, nextTime } from './next-time.ts';

/** What is found so much later than it was due was missed: the daemon was off, the machine slept, or the clock has jumped. */
export const ON_TIME_MS = 2 * MINUTE_MS;
/** A clock that was ahead by more than this was wrong: what it has seen does not count. */
const MOST_BACK_MS = 25 * 60 * MINUTE_MS;
/** So many are counted; what comes every minute and was off for weeks was missed often enough. */
const MOST_COUNTED = 1_000;

export interface Planned {
  /** Its own minute: it is known by that. Null: nothing is due. */
  dueAt: number | null;
  /** `run`: now. `skip`: it was missed, and what was missed is not to be done. */
  verdict: 'run' | 'skip';
  /** How many were missed, this one among them. */
  missed: number;
  /** Up to here everything is seen to. */
  seenAt: number;
}

/**
 * What a schedule has to do now: one thing at most, however long nobody looked. What was seen to stays seen to when the clock is
 * set back.
 */
export function dueRuns(schedule: { cron: Cron; missed: 'run' | 'skip' }, lastSeen: number, now: number): Planned {
  const nothing = { dueAt: null, verdict: 'run', missed: 0 } as const;
  if (lastSeen - now > MOST_BACK_MS) return { ...nothing, seenAt: now };
  const [newest, count] = findNewest(schedule.cron, lastSeen, now);
  if (newest === null) return { ...nothing, seenAt: lastSeen };
  const isOnTime = now - newest < ON_TIME_MS;
  const missed = count - (isOnTime ? 1 : 0);
  return { dueAt: newest, verdict: isOnTime ? 'run' : schedule.missed, missed, seenAt: newest };
}

function findNewest(cron: Cron, lastSeen: number, now: number): [newest: number | null, count: number] {
  let newest: number | null = null;
  let count = 0;
  for (let at = nextTime(cron, lastSeen); at !== null && at <= now; at = nextTime(cron, at)) {
    newest = at;
    count += 1;
    if (count < MOST_COUNTED) continue;
    // The rest is not counted; the newest is within the last stretch that is looked through.
    return [findLast(cron, at, now), count];
  }
  return [newest, count];
}

/** By going back in ever longer steps until one is found. */
function findLast(cron: Cron, known: number, now: number): number {
  for (let back = MINUTE_MS; now - back > known; back *= 2) {
    let newest: number | null = null;
    for (let at = nextTime(cron, now - back); at !== null && at <= now; at = nextTime(cron, at)) newest = at;
    if (newest !== null) return newest;
  }
  let newest = known;
  for (let at = nextTime(cron, known); at !== null && at <= now; at = nextTime(cron, at)) newest = at;
  return newest;
}
