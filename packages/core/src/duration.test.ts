import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationInWords } from './duration.ts';

describe('durationInWords', () => {
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
  ])('says of %d ms: %s', (ms, words) => {
    expect(durationInWords(ms)).toBe(words);
  });

  it('never says more than a unit holds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * 86_400_000 }), (ms) => {
        const words = durationInWords(ms);
        for (const [, number, unit] of words.matchAll(/([\d.]+) (\w+)/g)) {
          const most = { ms: 1000, s: 60, min: 60, h: 24, day: 100, days: 100 }[unit ?? ''] ?? 0;
          expect(Number(number), words).toBeLessThan(most);
        }
      }),
    );
  });
});
