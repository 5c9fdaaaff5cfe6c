import type { Cron } from './cron.ts';
import { MINUTE_MS, nextTime } from './next-time.ts';

/** A run found this late was missed: the daemon was off, the machine slept, or the clock jumped. */
export const ON_TIME_MS = 2 * MINUTE_MS;
/** A clock that was ahead by more than this was wrong, and what it has seen is ignored. */
const MAX_BACK_MS = 25 * 60 * MINUTE_MS;
/** Maximum number of missed runs to count. */
const MAX_COUNTED = 1_000;

export interface Planned {
  /** The minute of the run, which identifies it. Null: nothing is due. */
  dueAt: number | null;
  /** `run`: run now. `skip`: it was missed, and missed runs are skipped. */
  verdict: 'run' | 'skip';
  /** Number of missed runs, including this one. */
  missed: number;
  /** Everything up to here is handled. */
  seenAt: number;
}

/**
 * Determines what a schedule has to do now: at most one run, however long the downtime. Handled runs are not repeated
 * when the clock is set back.
 */
export function dueRuns(schedule: { cron: Cron; missed: 'run' | 'skip' }, lastSeen: number, now: number): Planned {
  const nothing = { dueAt: null, verdict: 'run', missed: 0 } as const;
  if (lastSeen - now > MAX_BACK_MS) return { ...nothing, seenAt: now };
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
    if (count < MAX_COUNTED) continue;
    // The rest is not counted; only the newest is searched for.
    return [findLast(cron, at, now), count];
  }
  return [newest, count];
}

/** Goes back in steps of increasing length until a run is found. */
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
