import { describe, expect, it } from 'vitest';
import { GrowingText } from './growing-text.ts';

function grown(piece: string, count: number): GrowingText {
  const text = new GrowingText();
  for (let i = 0; i < count; i += 1) text.add(piece);
  return text;
}

describe('a text that grows', () => {
  it.each([
    ['letters', 'word '],
    ['letters with accents', 'mûre '],
    ['letters of two words', '苹果 🍎 '],
    ['halves of a letter', '\ud83c'],
    ['half a letter at the end of a piece', 'ab\ud83c'],
  ])('is all of its pieces, however long it gets: %s', (_name, piece) => {
    for (const count of [0, 1, 20_000, 700_000]) {
      const text = grown(piece, count);
      expect(text.length).toBe(piece.length * count);
      expect(String(text) === piece.repeat(count)).toBe(true);
    }
  });

  it('can be read in between', () => {
    const text = grown('abc', 400_000);
    expect(String(text).length).toBe(1_200_000);
    text.add('!');
    expect(String(text).endsWith('abc!')).toBe(true);
  });

  it('keeps a long text outside of the heap', () => {
    const before = process.memoryUsage().heapUsed;
    const texts = Array.from({ length: 20 }, () => grown('x'.repeat(1000), 4200));
    const grownBy = process.memoryUsage().heapUsed - before;
    expect(texts.reduce((sum, { length }) => sum + length, 0)).toBe(84_000_000);
    expect(grownBy).toBeLessThan(40_000_000);
  });
});
