import { describe, expect, it } from 'vitest';
import { addBounded, jsonLine, setEntry, withPiece } from './json.ts';

describe('JSON line for an agent', () => {
  it('has no character at which any reader splits lines', () => {
    const line = jsonLine({ text: 'a\u2028b\u2029c\nd\re' });
    expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
    expect(JSON.parse(line)).toEqual({ text: 'a\u2028b\u2029c\nd\re' });
  });

  it('has no lone surrogate, and leaves text alone that only looks like one', () => {
    const said = { half: 'a\ud800b\udfff', whole: '😀', words: '\\ud800 \\\\udfff "\\"' };
    expect(JSON.parse(jsonLine(said))).toEqual({ ...said, half: 'a\ufffdb\ufffd' });
  });
});

describe('memory of an agent', () => {
  it('is bounded: the oldest names are dropped', () => {
    const table: Record<string, number> = {};
    const list: number[] = [];
    for (let i = 0; i < 50_000; i++) {
      setEntry(table, `call-${i}`, i);
      addBounded(list, i);
    }
    expect(Object.keys(table).length).toBeLessThanOrEqual(15_000);
    expect(table['call-49999']).toBe(49_999);
    expect(table['call-0']).toBeUndefined();
    expect(list).toHaveLength(10_000);
    expect(list.at(-1)).toBe(49_999);
  });

  it('ends a streamed input at its limit', () => {
    const piece = 'x'.repeat(1024 * 1024);
    let text = '';
    for (let i = 0; i < 100; i++) text = withPiece(text, piece);
    expect(text.length).toBe(16 * 1024 * 1024);
  });
});
