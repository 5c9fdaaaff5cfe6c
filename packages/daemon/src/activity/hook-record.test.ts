import type { Activity } from '@agent-mux/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  activityFromHooks,
  addHookFact,
  dropFutureFacts,
  EMPTY_HOOK_RECORD,
  HOOK_STALE_MS,
  type HookFact,
} from './hook-record.ts';

const NOON = 1_763_294_400_000;
const seen = (now = NOON) => ({ now, isSeen: true });
const recordOf = (facts: readonly HookFact[]) => facts.reduce(addHookFact, EMPTY_HOOK_RECORD);
const activityAfter = (facts: readonly HookFact[]) => activityFromHooks(recordOf(facts), seen()).activity;

/** Hook calls of an agent in a terminal: turns with tools and questions, and possibly its exit. */
const someCalls = fc
  .array(fc.array(fc.constantFrom<Activity | undefined>('active', 'blocked', undefined), { maxLength: 5 }), {
    minLength: 1,
    maxLength: 6,
  })
  .chain((turns) => fc.tuple(fc.constant(turns), fc.boolean()))
  .map(([turns, isOver]) => {
    const states: (Activity | undefined)[] = turns.flatMap((steps) => ['active' as const, ...steps, 'idle' as const]);
    if (isOver) states.push('exited');
    return states.map((state, index): HookFact => {
      const turn = states.slice(0, index).filter((one) => one === 'idle').length;
      const isFirst = index === 0 || states[index - 1] === 'idle';
      return {
        id: `d${index}`,
        // Pairs of calls share a timestamp.
        at: NOON + Math.floor(index / 2),
        ...(state === undefined ? {} : { state }),
        ...(isFirst && state === 'active' ? { title: `prompt ${turn}` } : {}),
        ...(state === 'idle' ? { summary: `answer ${turn}` } : {}),
      };
    });
  });

/** Deliveries of these calls: some lost, some duplicated, in any order. */
const someOf = (calls: readonly HookFact[]) =>
  fc
    .array(fc.nat({ max: calls.length - 1 }), { maxLength: 2 * calls.length })
    .map((indices) => indices.flatMap((index) => calls[index] ?? []));

const inOrder = (facts: readonly HookFact[]) =>
  [...new Set(facts)].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

describe('hook record', () => {
  it('does not depend on delivery order or duplicates', () => {
    fc.assert(
      fc.property(
        someCalls.chain((calls) => someOf(calls)),
        (delivered) => {
          expect(recordOf(delivered)).toEqual(recordOf(inOrder(delivered)));
        },
      ),
    );
  });

  it('matches the session activity when no report is lost', () => {
    fc.assert(
      fc.property(
        someCalls.chain((calls) =>
          fc.tuple(fc.constant(calls), fc.shuffledSubarray(calls, { minLength: calls.length })),
        ),
        ([calls, delivered]) => {
          const last = inOrder(calls).findLast(({ state }) => state !== undefined);
          expect(activityAfter(delivered)).toBe(last?.state);
          expect(recordOf(delivered).title?.value).toBe('prompt 0');
        },
      ),
    );
  });

  it('never contradicts the last delivered call', () => {
    fc.assert(
      fc.property(
        someCalls.chain((calls) => someOf(calls)),
        (delivered) => {
          for (let count = 1; count <= delivered.length; count += 1) {
            const known = delivered.slice(0, count);
            const last = inOrder(known).findLast(({ state }) => state !== undefined);
            const alive = Math.max(0, ...known.filter(({ state }) => state !== 'exited').map(({ at }) => at));
            const isBackAgain = last?.state === 'exited' && alive > last.at;
            expect(activityAfter(known)).toBe(isBackAgain ? 'idle' : (last?.state ?? 'idle'));
          }
        },
      ),
    );
  });

  it('ignores late deliveries of earlier calls', () => {
    fc.assert(
      fc.property(
        someCalls.chain((calls) => fc.tuple(fc.constant(calls), someOf(calls))),
        ([calls, late]) => {
          expect(activityAfter([...calls, ...late])).toBe(activityAfter(calls));
        },
      ),
    );
  });

  it('stays blocked until a later call reports another state', () => {
    const ask: HookFact = { id: 'b', at: NOON, state: 'blocked' };
    const before: HookFact = { id: 'a', at: NOON - 1, state: 'active' };
    const silent: HookFact = { id: 'c', at: NOON + 1 };
    expect(activityAfter([ask, before, ask, silent])).toBe('blocked');
    expect(activityAfter([{ id: 'd', at: NOON + 2, state: 'active' }, ask])).toBe('active');
  });

  it('recovers from a lost turn end by the next call, the process exit or a timeout', () => {
    const working: HookFact = { id: 'a', at: NOON, state: 'active' };
    expect(activityAfter([working, { id: 'b', at: NOON + 1, state: 'idle' }])).toBe('idle');
    expect(activityAfter([working, { id: 'b', at: NOON + 1, state: 'exited' }])).toBe('exited');
    const memory = recordOf([working]);
    expect(activityFromHooks(memory, { now: NOON + HOOK_STALE_MS + 1, isSeen: true }).activity).toBe('active');
    expect(activityFromHooks(memory, { now: NOON + HOOK_STALE_MS, isSeen: false }).activity).toBe('active');
    expect(activityFromHooks(memory, { now: NOON + HOOK_STALE_MS + 1, isSeen: false }).activity).toBe('no_signal');
    const asking = recordOf([{ id: 'a', at: NOON, state: 'waiting_input' }]);
    expect(activityFromHooks(asking, { now: NOON + 2 * HOOK_STALE_MS, isSeen: false }).activity).toBe('waiting_input');
  });

  it('detects a session that was started again after its exit', () => {
    const ended: HookFact = { id: 'a', at: NOON, state: 'exited' };
    expect(activityAfter([ended, { id: 'b', at: NOON + 1 }])).toBe('idle');
    expect(activityAfter([{ id: 'b', at: NOON - 1 }, ended])).toBe('exited');
  });

  it('keeps accepting reports after the clock was set back', () => {
    const early = recordOf([{ id: 'a', at: NOON + 3_600_000, state: 'active' }]);
    const now = NOON + 1;
    const later = addHookFact(dropFutureFacts(early, now), { id: 'b', at: now, state: 'idle' });
    expect(activityFromHooks(later, seen(now)).activity).toBe('idle');
  });
});
