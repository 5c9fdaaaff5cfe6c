import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCron } from './cron.ts';
import { dueRuns, ON_TIME_MS } from './due-runs.ts';
import { MINUTE_MS } from './next-time.ts';

const at = (text: string) => new Date(text).getTime();
const daily = { cron: parseCron('0 7 * * *'), missed: 'run' } as const;
const seven = at('2026-11-16T07:00:00');

describe('dueRuns', () => {
  it('returns a run once when its minute has come', () => {
    const before = seven - MINUTE_MS;
    expect(dueRuns(daily, before, seven - 1)).toMatchObject({ dueAt: null, seenAt: before });
    const due = dueRuns(daily, before, seven + 500);
    expect(due).toEqual({ dueAt: seven, verdict: 'run', missed: 0, seenAt: seven });
    expect(dueRuns(daily, due.seenAt, seven + 600)).toMatchObject({ dueAt: null });
  });

  it('runs once or skips what was missed', () => {
    const away = seven - 5 * 24 * 60 * MINUTE_MS - 1;
    const back = seven + 3 * 60 * MINUTE_MS;
    expect(dueRuns(daily, away, back)).toEqual({ dueAt: seven, verdict: 'run', missed: 6, seenAt: seven });
    expect(dueRuns({ ...daily, missed: 'skip' }, away, back)).toMatchObject({ verdict: 'skip', missed: 6 });
    // Back in time: the current run is done, whatever was missed before.
    expect(dueRuns({ ...daily, missed: 'skip' }, away, seven)).toMatchObject({ verdict: 'run', missed: 5 });
  });

  it('does not repeat a run when the clock is set back', () => {
    expect(dueRuns(daily, seven, seven - 60 * MINUTE_MS)).toMatchObject({ dueAt: null, seenAt: seven });
    expect(dueRuns(daily, seven, seven)).toMatchObject({ dueAt: null, seenAt: seven });
  });

  it('ignores what a wrong clock has seen', () => {
    const wrong = seven + 365 * 24 * 60 * MINUTE_MS;
    expect(dueRuns(daily, wrong, seven - 1)).toMatchObject({ dueAt: null, seenAt: seven - 1 });
  });

  it('finds the newest run quickly after a long downtime', () => {
    const minutely = { cron: parseCron('* * * * *'), missed: 'run' } as const;
    const now = seven + 30_000;
    expect(dueRuns(minutely, now - 3 * 365 * 24 * 60 * MINUTE_MS, now)).toMatchObject({ dueAt: seven, verdict: 'run' });
    const rare = { cron: parseCron('*/30 3 * * 1'), missed: 'run' } as const;
    expect(dueRuns(rare, now - 40 * 365 * 24 * 60 * MINUTE_MS, now)).toMatchObject({
      dueAt: at('2026-11-16T03:30:00'),
    });
  });

  it('returns each minute once for any clock changes and check intervals', () => {
    const steps = fc.array(fc.integer({ min: -3 * 60, max: 3 * 60 }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.constantFrom('0 * * * *', '*/7 * * * *', '30 6-8 * * *'), (jumps, cron) => {
        const schedule = { cron: parseCron(cron), missed: 'run' } as const;
        const done: number[] = [];
        let now = seven;
        let seenAt = seven;
        for (const jump of jumps) {
          now += jump * MINUTE_MS;
          const due = dueRuns(schedule, seenAt, now);
          ({ seenAt } = due);
          if (due.dueAt !== null) done.push(due.dueAt);
          if (due.dueAt !== null && due.missed === 0) expect(now - due.dueAt).toBeLessThan(ON_TIME_MS);
        }
        expect(new Set(done).size).toBe(done.length);
        expect(done).toEqual(done.toSorted((a, b) => a - b));
      }),
    );
  });
});
