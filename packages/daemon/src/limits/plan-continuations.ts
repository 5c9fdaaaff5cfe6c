import { dayOf, formatHours, type Hours, nextWithin, startOfNextDay } from './days.ts';

/** Added to a reported reset time, since clocks differ slightly. */
export const RESET_SLACK_MS = 2000;

/**
 * Delays between attempts when the reset time is unknown; after the last one the governor gives up. The same delays
 * apply when a session was refused again after a reported reset time.
 */
export const BACK_OFF_MS: readonly number[] = [15, 30, 60, 120, 240].map((minutes) => minutes * 60_000);

/** A session that a limit has stopped and that continues automatically. */
export interface Limited {
  id: string;
  /** A session continues once per limit. */
  limitId: string;
  account: string;
  since: number;
  /** Null if unknown. */
  resetsAt: number | null;
  /** 1 for the first attempt. */
  attempt: number;
}

/** A continuation, stored before anything is sent. */
export interface Continued {
  id: string;
  limitId: string;
  account: string;
  at: number;
  /** Requested by a person; does not count towards the daily limit. */
  byPerson: boolean;
}

export interface Rules {
  /** Delay between two sessions of one account. */
  staggerMs: number;
  /** Over all sessions, at least 1. */
  maxPerDay: number;
  hours: Hours | null;
}

export interface Situation {
  limited: readonly Limited[];
  continued: readonly Continued[];
  /** When a message was last sent to an account for other waiting sessions. */
  released: ReadonlyMap<string, number>;
  /** Accounts known to refuse the next request, and until when. */
  closedUntil: ReadonlyMap<string, number>;
  rules: Rules;
}

/** `due`: now, and only once. `continued`: already decided. */
export interface Plan {
  id: string;
  limitId: string;
  state: 'due' | 'scheduled' | 'outside_hours' | 'capped' | 'continued' | 'gave_up';
  /** Null if it does not continue automatically. */
  at: number | null;
  reason: string | null;
}

/**
 * Plans when each session continues. Only the current wall clock time matters: past decisions are in `continued`, so a
 * clock that is set back decides nothing twice. At most one session of an account is due at once.
 */
export function planContinuations(
  { limited, continued, released, closedUntil, rules }: Situation,
  now: number,
): Plan[] {
  const perDay = new Map<string, number>();
  for (const { at, byPerson } of continued) if (!byPerson) count(perDay, at);
  const nextFree = new Map<string, number>();
  for (const [account, at] of [...released, ...continued.map((one) => [one.account, one.at] as const)]) {
    // A time from a clock that was ahead delays no longer than the current time.
    const free = Math.min(at, now) + rules.staggerMs;
    nextFree.set(account, Math.max(nextFree.get(account) ?? 0, free));
  }
  return inOrder(limited).map((session): Plan => {
    const { id, limitId, account } = session;
    if (continued.some((one) => one.id === id && one.limitId === limitId))
      return { id, limitId, state: 'continued', at: null, reason: null };
    const reset = resetTimeOf(session);
    if (reset === undefined) {
      const reason = `the reset time is unknown, and ${BACK_OFF_MS.length} attempts failed`;
      return { id, limitId, state: 'gave_up', at: null, reason };
    }
    const ready = Math.max(reset, (closedUntil.get(account) ?? -RESET_SLACK_MS) + RESET_SLACK_MS);
    const { at, state, reason } = findSlot(Math.max(ready, nextFree.get(account) ?? 0), rules, perDay, now);
    count(perDay, Math.max(at, now));
    nextFree.set(account, Math.max(at, now) + rules.staggerMs);
    return at <= now
      ? { id, limitId, state: 'due', at, reason: null }
      : { id, limitId, state, at, reason: reason ?? (session.resetsAt === null ? unknownReset(session) : null) };
  });
}

/** Stable order, so that the position of a session does not change between checks. */
function inOrder(limited: readonly Limited[]): Limited[] {
  const reset = (session: Limited) => resetTimeOf(session) ?? Number.POSITIVE_INFINITY;
  return [...limited].sort((a, b) => reset(a) - reset(b) || a.since - b.since || (a.id < b.id ? -1 : 1));
}

function resetTimeOf({ since, resetsAt, attempt }: Limited): number | undefined {
  if (resetsAt === null) {
    const wait = BACK_OFF_MS[attempt - 1];
    return wait === undefined ? undefined : since + wait;
  }
  const again = attempt === 1 ? 0 : (BACK_OFF_MS[attempt - 2] ?? BACK_OFF_MS.at(-1) ?? 0);
  return Math.max(resetsAt + RESET_SLACK_MS, again === 0 ? 0 : since + again);
}

function unknownReset({ attempt }: Limited): string {
  return `the reset time is unknown; attempt ${attempt} of ${BACK_OFF_MS.length}`;
}

/** Finds a time within the hours, on a day that has not reached the daily limit. */
function findSlot(
  ready: number,
  { hours, maxPerDay }: Rules,
  perDay: ReadonlyMap<string, number>,
  now: number,
): { at: number; state: 'scheduled' | 'outside_hours' | 'capped'; reason: string | null } {
  const soonest = Math.max(ready, now);
  const allowed = nextWithin(hours, soonest);
  let at = allowed === soonest ? ready : allowed;
  let state: 'scheduled' | 'outside_hours' | 'capped' = allowed === soonest ? 'scheduled' : 'outside_hours';
  let reason =
    hours === null || state === 'scheduled'
      ? null
      : `sessions continue automatically only during ${formatHours(hours)}`;
  while ((perDay.get(dayOf(Math.max(at, now))) ?? 0) >= maxPerDay) {
    at = nextWithin(hours, startOfNextDay(Math.max(at, now)));
    state = 'capped';
    reason = `the limit of ${maxPerDay} automatic continuations per day is reached`;
  }
  return { at, state, reason };
}

function count(perDay: Map<string, number>, at: number): void {
  const day = dayOf(at);
  perDay.set(day, (perDay.get(day) ?? 0) + 1);
}
