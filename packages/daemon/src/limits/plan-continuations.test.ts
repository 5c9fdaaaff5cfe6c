import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf, nextWithin } from './days.ts';
import {
  BACK_OFF_MS,
  type Continued,
  type Limited,
  type Plan,
  planContinuations,
  RESET_SLACK_MS,
  type Rules,
  type Situation,
} from './plan-continuations.ts';

const NOON = new Date(2026, 10, 16, 12).getTime();
const HOUR = 3_600_000;
const RULES: Rules = { staggerMs: 20_000, maxPerDay: 10, hours: null };

function limited(id: string, options: Partial<Limited> = {}): Limited {
  return { id, limitId: 'l1', account: 'claude/1', since: NOON, resetsAt: NOON + HOUR, attempt: 1, ...options };
}

function plan(options: Partial<Situation>, now: number): Plan[] {
  const nothing = { limited: [], continued: [], released: new Map(), closedUntil: new Map(), rules: RULES };
  return planContinuations({ ...nothing, ...options }, now);
}

describe('planContinuations', () => {
  it('schedules sessions after the reset, one after the other', () => {
    const [first, second, other] = plan(
      { limited: [limited('a'), limited('b'), limited('c', { account: 'codex/1' })] },
      NOON,
    );
    const reset = NOON + HOUR + RESET_SLACK_MS;
    expect(first).toEqual({ id: 'a', limitId: 'l1', state: 'scheduled', at: reset, reason: null });
    expect(second).toMatchObject({ id: 'b', state: 'scheduled', at: reset + RULES.staggerMs });
    expect(other).toMatchObject({ id: 'c', at: reset });
  });

  it('releases one session at a time when all times have passed', () => {
    const all = [limited('a'), limited('b'), limited('c')];
    const late = NOON + 9 * HOUR;
    expect(plan({ limited: all }, late).map(({ state }) => state)).toEqual(['due', 'scheduled', 'scheduled']);
    const continued = [{ id: 'a', limitId: 'l1', account: 'claude/1', at: late, byPerson: false }];
    expect(plan({ limited: all, continued }, late + 1).map(({ state }) => state)).toEqual([
      'continued',
      'scheduled',
      'scheduled',
    ]);
    expect(plan({ limited: all, continued }, late + RULES.staggerMs)[1]).toMatchObject({ id: 'b', state: 'due' });
  });

  it('waits for the account and for a session that was just released', () => {
    const until = NOON + 5 * HOUR;
    expect(
      plan({ limited: [limited('a')], closedUntil: new Map([['claude/1', until]]) }, NOON + 2 * HOUR),
    ).toMatchObject([{ state: 'scheduled', at: until + RESET_SLACK_MS }]);
    const now = NOON + 2 * HOUR;
    expect(plan({ limited: [limited('a')], released: new Map([['claude/1', now]]) }, now)).toMatchObject([
      { state: 'scheduled', at: now + RULES.staggerMs },
    ]);
  });

  it('respects the allowed hours', () => {
    const rules = { ...RULES, hours: { from: 14 * 60, to: 16 * 60 } };
    const [early] = plan({ limited: [limited('a')], rules }, NOON);
    expect(early).toMatchObject({
      state: 'outside_hours',
      at: NOON + 2 * HOUR,
      reason: expect.stringContaining('14:00'),
    });
    expect(plan({ limited: [limited('a')], rules }, NOON + 2 * HOUR)).toMatchObject([{ state: 'due' }]);
    const [late] = plan({ limited: [limited('a')], rules }, NOON + 5 * HOUR);
    expect(late).toMatchObject({ state: 'outside_hours', at: NOON + 26 * HOUR });
  });

  it('respects the daily limit, which excludes manual continuations', () => {
    const rules = { ...RULES, maxPerDay: 1 };
    const one: Continued = { id: 'x', limitId: 'l1', account: 'codex/1', at: NOON, byPerson: false };
    const now = NOON + 2 * HOUR;
    const [capped] = plan({ limited: [limited('a')], continued: [one], rules }, now);
    expect(capped).toMatchObject({ state: 'capped', reason: expect.stringContaining('limit of 1 automatic') });
    expect(dayOf(capped?.at ?? 0)).toBe('2026-11-17');
    expect(plan({ limited: [limited('a')], continued: [{ ...one, byPerson: true }], rules }, now)).toMatchObject([
      { state: 'due' },
    ]);
  });

  it('backs off and finally gives up when the reset time is unknown', () => {
    const unknown = (attempt: number) => limited('a', { resetsAt: null, attempt });
    for (const [at, wait] of BACK_OFF_MS.entries()) {
      expect(plan({ limited: [unknown(at + 1)] }, NOON)).toMatchObject([{ state: 'scheduled', at: NOON + wait }]);
      expect(plan({ limited: [unknown(at + 1)] }, NOON + wait)).toMatchObject([{ state: 'due' }]);
    }
    const over = plan({ limited: [unknown(BACK_OFF_MS.length + 1)] }, NOON + 100 * HOUR);
    expect(over).toMatchObject([{ state: 'gave_up', at: null, reason: expect.any(String) }]);
  });

  it('backs off when the reported reset time was wrong', () => {
    const again = limited('a', { resetsAt: NOON, attempt: 2 });
    expect(plan({ limited: [again] }, NOON + 1)).toMatchObject([
      { state: 'scheduled', at: NOON + (BACK_OFF_MS[0] ?? 0) },
    ]);
  });
});

/** A daemon that checks its clock at these times and stores each decision before acting on it. */
function simulate(sessions: readonly Limited[], times: readonly number[], rules: Rules): Continued[] {
  const continued: Continued[] = [];
  for (const now of times) {
    for (const { id, limitId, state } of plan({ limited: sessions, continued, rules }, now)) {
      const session = sessions.find((one) => one.id === id && one.limitId === limitId);
      if (state === 'due' && session)
        continued.push({ id, limitId, account: session.account, at: now, byPerson: false });
    }
  }
  return continued;
}

const sessions = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    limitId: fc.constant('l1'),
    account: fc.constantFrom('claude/1', 'codex/1'),
    since: fc.constant(NOON),
    resetsAt: fc.option(fc.integer({ min: NOON - HOUR, max: NOON + 30 * HOUR })),
    attempt: fc.integer({ min: 1, max: 7 }),
  }),
  { selector: ({ id }) => id, maxLength: 6 },
);
const rules = fc.record({
  staggerMs: fc.integer({ min: 0, max: HOUR }),
  maxPerDay: fc.integer({ min: 1, max: 4 }),
  hours: fc.option(
    fc
      .tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 0, max: 1440 }))
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => ({ from, to })),
  ),
});
const anyTimes = fc.array(fc.integer({ min: NOON - 48 * HOUR, max: NOON + 96 * HOUR }), { maxLength: 60 });
const forward = anyTimes.map((times) => [...times].sort((a, b) => a - b));

describe('planContinuations with any clock', () => {
  it('continues a session once per limit, even if the clock jumps', () => {
    fc.assert(
      fc.property(sessions, anyTimes, rules, (all, times, options) => {
        const made = simulate(all, times, options).map(({ id, limitId }) => `${id}/${limitId}`);
        expect(new Set(made).size).toBe(made.length);
      }),
    );
  });

  it('never continues before the reset, outside the hours or above the daily limit', () => {
    fc.assert(
      fc.property(sessions, anyTimes, rules, (all, times, options) => {
        const perDay = new Map<string, number>();
        for (const { id, at } of simulate(all, times, options)) {
          const session = all.find((one) => one.id === id);
          expect(at).toBeGreaterThanOrEqual(session?.resetsAt ?? NOON + (BACK_OFF_MS[0] ?? 0));
          expect(nextWithin(options.hours, at)).toBe(at);
          perDay.set(dayOf(at), (perDay.get(dayOf(at)) ?? 0) + 1);
        }
        for (const count of perDay.values()) expect(count).toBeLessThanOrEqual(options.maxPerDay);
      }),
    );
  });

  it('staggers the sessions of an account while the clock moves forward', () => {
    fc.assert(
      fc.property(sessions, forward, rules, (all, times, options) => {
        const last = new Map<string, number>();
        for (const { account, at } of simulate(all, times, options)) {
          const before = last.get(account);
          if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(options.staggerMs);
          last.set(account, at);
        }
      }),
    );
  });

  it('makes a session due at its scheduled time', () => {
    fc.assert(
      fc.property(sessions, rules, (all, options) => {
        const [soonest] = plan({ limited: all, rules: options }, NOON)
          .flatMap(({ at, id }) => (at === null ? [] : [{ at, id }]))
          .sort((a, b) => a.at - b.at);
        if (!soonest) return;
        const then = plan({ limited: all, rules: options }, Math.max(NOON, soonest.at));
        expect(then.some(({ state }) => state === 'due')).toBe(true);
      }),
    );
  });
});
