import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration.ts';

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [1500, '1.5 s'],
    [59_960, '1 min'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [300_000, '5 min'],
    [3_599_900, '1 h'],
    [5_400_000, '1 h 30 min'],
    [86_400_000, '1 day'],
    [183_600_000, '2 days 3 h'],
    [Number.POSITIVE_INFINITY, 'no end'],
  ])('formats %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('never exceeds the size of a unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * 86_400_000 }), (ms) => {
        const text = formatDuration(ms);
        for (const [, number, unit] of text.matchAll(/([\d.]+) (\w+)/g)) {
          const most = { ms: 1000, s: 60, min: 60, h: 24, day: 100, days: 100 }[unit ?? ''] ?? 0;
          expect(Number(number), text).toBeLessThan(most);
        }
      }),
    );
  });
});
