import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { TextBuffer } from './text-buffer.ts';

function grown(piece: string, count: number): TextBuffer {
  const text = new TextBuffer();
  for (let i = 0; i < count; i += 1) text.add(piece);
  return text;
}

/** Heap size without garbage. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('text buffer', () => {
  it.each([
    ['letters', 'word '],
    ['letters with accents', 'mûre '],
    ['letters of two words', '苹果 🍎 '],
    ['halves of a letter', '\ud83c'],
    ['half a letter at the end of a piece', 'ab\ud83c'],
  ])('contains all of its pieces, however long it gets: %s', (_name, piece) => {
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

  it('stores a long text outside of the heap', () => {
    const before = heapInUse();
    const texts = Array.from({ length: 20 }, () => new TextBuffer());
    // Each piece is a separate string, as if it had been parsed.
    for (const text of texts) for (let i = 0; i < 4200; i += 1) text.add(Buffer.alloc(1000, 'x').toString());
    const grownBy = heapInUse() - before;
    expect(texts.reduce((sum, { length }) => sum + length, 0)).toBe(84_000_000);
    // The last part of each, up to a million characters, is still on the heap.
    expect(grownBy).toBeLessThan(30_000_000);
  });
});
