import { dayOf, type Hours, hoursInWords, nextWithin, startOfNextDay } from './days.ts';

/** After the reset that was told: clocks differ a little. */
export const RESET_SLACK_MS = 2000;

/**
 * Where nobody knows when a limit is lifted: after so long it is tried again, each time later; after the last of them no more. Where a
 * reset is known and the session was refused once more, it is tried again no sooner than this either.
 */
export const BACK_OFF_MS: readonly number[] = [15, 30, 60, 120, 240].map((minutes) => minutes * 60_000);

/** A session that a limit has stopped and that is to go on by itself. */
export interface Limited {
  id: string;
  /** Of the limit: a session goes on once for each. */
  limitId: string;
  account: string;
  since: number;
  /** Null: not known. */
  resetsAt: number | null;
  /** 1: nothing was tried yet. */
  attempt: number;
}

/** A session that has gone on by itself; written down before anything is sent. */
export interface Continued {
  id: string;
  limitId: string;
  account: string;
  at: number;
  /** A person said so: it does not count against what is allowed in a day. */
  byPerson: boolean;
}

export interface Rules {
  /** Between two sessions of one account. */
  staggerMs: number;
  /** Over all sessions; at least 1. */
  maxPerDay: number;
  hours: Hours | null;
}

export interface Situation {
  limited: readonly Limited[];
  continued: readonly Continued[];
  /** When something was sent last to an account for other sessions that had waited for it. */
  released: ReadonlyMap<string, number>;
  /** Accounts that are known to refuse the next request, and until when. */
  closedUntil: ReadonlyMap<string, number>;
  rules: Rules;
}

/** `due`: now, and only once; `continued`: it was decided before. */
export interface Plan {
  id: string;
  limitId: string;
  state: 'due' | 'waits' | 'outside_hours' | 'capped' | 'continued' | 'gave_up';
  /** Null: not by itself. */
  at: number | null;
  reason: string | null;
}

/**
 * Who goes on when. The wall clock decides, whatever it was before: what was decided is in `continued`, so that a clock that is set back
 * decides nothing twice. At most one session of an account is due at once.
 */
export function planContinuations(
  { limited, continued, released, closedUntil, rules }: Situation,
  now: number,
): Plan[] {
  const perDay = new Map<string, number>();
  for (const { at, byPerson } of continued) if (!byPerson) count(perDay, at);
  const nextFree = new Map<string, number>();
  for (const [account, at] of [...released, ...continued.map((one) => [one.account, one.at] as const)]) {
    // One from a clock that was ahead holds nobody up for longer than one from now.
    const free = Math.min(at, now) + rules.staggerMs;
    nextFree.set(account, Math.max(nextFree.get(account) ?? 0, free));
  }
  return inOrder(limited).map((session): Plan => {
    const { id, limitId, account } = session;
    if (continued.some((one) => one.id === id && one.limitId === limitId))
      return { id, limitId, state: 'continued', at: null, reason: null };
    const lifted = whenLifted(session);
    if (lifted === undefined) {
      const reason = `nobody knows when the limit is lifted, and it was tried ${BACK_OFF_MS.length} times`;
      return { id, limitId, state: 'gave_up', at: null, reason };
    }
    const ready = Math.max(lifted, (closedUntil.get(account) ?? -RESET_SLACK_MS) + RESET_SLACK_MS);
    const { at, state, reason } = findSlot(Math.max(ready, nextFree.get(account) ?? 0), rules, perDay, now);
    count(perDay, Math.max(at, now));
    nextFree.set(account, Math.max(at, now) + rules.staggerMs);
    return at <= now
      ? { id, limitId, state: 'due', at, reason: null }
      : { id, limitId, state, at, reason: reason ?? (session.resetsAt === null ? unknownReset(session) : null) };
  });
}

/** The same order at every look, so that nobody's turn moves. */
function inOrder(limited: readonly Limited[]): Limited[] {
  const lift = (session: Limited) => whenLifted(session) ?? Number.POSITIVE_INFINITY;
  return [...limited].sort((a, b) => lift(a) - lift(b) || a.since - b.since || (a.id < b.id ? -1 : 1));
}

function whenLifted({ since, resetsAt, attempt }: Limited): number | undefined {
  if (resetsAt === null) {
    const wait = BACK_OFF_MS[attempt - 1];
    return wait === undefined ? undefined : since + wait;
  }
  const again = attempt === 1 ? 0 : (BACK_OFF_MS[attempt - 2] ?? BACK_OFF_MS.at(-1) ?? 0);
  return Math.max(resetsAt + RESET_SLACK_MS, again === 0 ? 0 : since + again);
}

function unknownReset({ attempt }: Limited): string {
  return `nobody knows when the limit is lifted; attempt ${attempt} of ${BACK_OFF_MS.length}`;
}

/** Within the hours, and on a day on which not enough have gone on yet. */
function findSlot(
  ready: number,
  { hours, maxPerDay }: Rules,
  perDay: ReadonlyMap<string, number>,
  now: number,
): { at: number; state: 'waits' | 'outside_hours' | 'capped'; reason: string | null } {
  const soonest = Math.max(ready, now);
  const allowed = nextWithin(hours, soonest);
  let at = allowed === soonest ? ready : allowed;
  let state: 'waits' | 'outside_hours' | 'capped' = allowed === soonest ? 'waits' : 'outside_hours';
  let reason =
    hours === null || state === 'waits' ? null : `only at ${hoursInWords(hours)} does a session go on by itself`;
  while ((perDay.get(dayOf(Math.max(at, now))) ?? 0) >= maxPerDay) {
    at = nextWithin(hours, startOfNextDay(Math.max(at, now)));
    state = 'capped';
    reason = `no more than ${maxPerDay} times a day do sessions go on by themselves`;
  }
  return { at, state, reason };
}

function count(perDay: Map<string, number>, at: number): void {
  const day = dayOf(at);
  perDay.set(day, (perDay.get(day) ?? 0) + 1);
}
