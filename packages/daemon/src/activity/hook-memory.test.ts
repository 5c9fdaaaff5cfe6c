import type { Activity } from '@agent-mux/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activityBy, addFact, type HookFact, NOTHING_HEARD, SILENCE_MS, withoutFuture } from './hook-memory.ts';

const NOON = 1_763_294_400_000;
const seen = (now = NOON) => ({ now, isSeen: true });
const remember = (facts: readonly HookFact[]) => facts.reduce(addFact, NOTHING_HEARD);
const activityAfter = (facts: readonly HookFact[]) => activityBy(remember(facts), seen()).activity;

/** What an agent in a terminal does, and calls its hooks for: turns with tools and questions, and perhaps its end. */
const aLife = fc
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
        // Some of them in the same moment.
        at: NOON + Math.floor(index / 2),
        ...(state === undefined ? {} : { state }),
        ...(isFirst && state === 'active' ? { title: `prompt ${turn}` } : {}),
        ...(state === 'idle' ? { summary: `answer ${turn}` } : {}),
      };
    });
  });

/** Deliveries of it: some are lost, some come twice, in any order. */
const someOf = (life: readonly HookFact[]) =>
  fc
    .array(fc.nat({ max: life.length - 1 }), { maxLength: 2 * life.length })
    .map((indices) => indices.flatMap((index) => life[index] ?? []));

const inOrder = (facts: readonly HookFact[]) =>
  [...new Set(facts)].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

describe('what hooks tell of a session', () => {
  it('is the same in any order, however often each of them comes', () => {
    fc.assert(
      fc.property(
        aLife.chain((life) => someOf(life)),
        (delivered) => {
          expect(remember(delivered)).toEqual(remember(inOrder(delivered)));
        },
      ),
    );
  });

  it('is, when nothing is lost, what the session does', () => {
    fc.assert(
      fc.property(
        aLife.chain((life) => fc.tuple(fc.constant(life), fc.shuffledSubarray(life, { minLength: life.length }))),
        ([life, delivered]) => {
          const last = inOrder(life).findLast(({ state }) => state !== undefined);
          expect(activityAfter(delivered)).toBe(last?.state);
          expect(remember(delivered).title?.value).toBe('prompt 0');
        },
      ),
    );
  });

  it('never contradicts the last call that was delivered: not idle in a turn, not at work after its end', () => {
    fc.assert(
      fc.property(
        aLife.chain((life) => someOf(life)),
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

  it('is not changed by what was called before, however late it comes', () => {
    fc.assert(
      fc.property(
        aLife.chain((life) => fc.tuple(fc.constant(life), someOf(life))),
        ([life, late]) => {
          expect(activityAfter([...life, ...late])).toBe(activityAfter(life));
        },
      ),
    );
  });

  it('stays blocked until a later call says otherwise', () => {
    const ask: HookFact = { id: 'b', at: NOON, state: 'blocked' };
    const before: HookFact = { id: 'a', at: NOON - 1, state: 'active' };
    const silent: HookFact = { id: 'c', at: NOON + 1 };
    expect(activityAfter([ask, before, ask, silent])).toBe('blocked');
    expect(activityAfter([{ id: 'd', at: NOON + 2, state: 'active' }, ask])).toBe('active');
  });

  it('heals a lost end of a turn by the next call, by the end of the process, or by silence', () => {
    const working: HookFact = { id: 'a', at: NOON, state: 'active' };
    expect(activityAfter([working, { id: 'b', at: NOON + 1, state: 'idle' }])).toBe('idle');
    expect(activityAfter([working, { id: 'b', at: NOON + 1, state: 'exited' }])).toBe('exited');
    const memory = remember([working]);
    expect(activityBy(memory, { now: NOON + SILENCE_MS + 1, isSeen: true }).activity).toBe('active');
    expect(activityBy(memory, { now: NOON + SILENCE_MS, isSeen: false }).activity).toBe('active');
    expect(activityBy(memory, { now: NOON + SILENCE_MS + 1, isSeen: false }).activity).toBe('no_signal');
    const asking = remember([{ id: 'a', at: NOON, state: 'waiting_input' }]);
    expect(activityBy(asking, { now: NOON + 2 * SILENCE_MS, isSeen: false }).activity).toBe('waiting_input');
  });

  it('knows a session that was started again after its end', () => {
    const ended: HookFact = { id: 'a', at: NOON, state: 'exited' };
    expect(activityAfter([ended, { id: 'b', at: NOON + 1 }])).toBe('idle');
    expect(activityAfter([{ id: 'b', at: NOON - 1 }, ended])).toBe('exited');
  });

  it('goes on being heard after the clock was set back', () => {
    const early = remember([{ id: 'a', at: NOON + 3_600_000, state: 'active' }]);
    const now = NOON + 1;
    const later = addFact(withoutFuture(early, now), { id: 'b', at: now, state: 'idle' });
    expect(activityBy(later, seen(now)).activity).toBe('idle');
  });
});
