import { describe, expect, it } from 'vitest';
import { table } from './table.ts';
import { cutToWidth, widthOf } from './width.ts';

describe('table', () => {
  const rows = [
    ['NAME', 'ABOUT', 'WHERE'],
    ['a-rather-long-name', 'what it is for, in more words than fit', '/some/where/deep/down/in/a/tree'],
    ['b', 'short', '/x'],
  ];

  it('is as wide as its cells without a terminal', () => {
    expect(table(rows).split('\n')[1]).toBe(rows[1]?.join('  '));
  });

  it.each([90, 72, 60, 50])('fits %i columns and truncates names last', (width) => {
    const lines = table(rows, undefined, { width }).split('\n');
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(lines[1]).toContain('a-rather-long-name');
  });

  it('drops columns before it truncates names, and truncates names before it wraps lines', () => {
    expect(table(rows, undefined, { width: 28 }).split('\n')[1]).toBe('a-rather-long-name  what it…');
    expect(table(rows, undefined, { width: 12 }).split('\n')[1]).toBe('a-rather-lo…');
    for (let width = 3; width <= 200; width += 1) {
      for (const line of table(rows, undefined, { width }).split('\n')) {
        expect(widthOf(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('drops the spare columns first', () => {
    const [head, line] = table(rows, undefined, { width: 50, spare: [1] }).split('\n');
    expect(head).toBe('NAME                WHERE');
    expect(line).toBe('a-rather-long-name  /some/where/deep/down/in/a/tr…');
  });

  it('keeps the requested columns', () => {
    const [, line] = table(rows, undefined, { width: 65, keep: [2] }).split('\n');
    expect(line).toContain('/some/where/deep/down/in/a/tree');
  });

  it('aligns wide characters, accents and emoji', () => {
    const lines = table([
      ['日本語', '|'],
      ['é\u0301e', '|'],
      ['👩‍👩‍👧 ok', '|'],
      ['abcdef', '|'],
    ]).split('\n');
    expect(lines.map((line) => widthOf(line.slice(0, line.indexOf('|'))))).toEqual([8, 8, 8, 8]);
  });

  it('removes line breaks and cursor movement from cells', () => {
    expect(table([['a\nb', '\u001b[2Jc']])).toBe('a b  c');
  });

  it('is empty without rows', () => {
    expect(table([])).toBe('');
  });
});

describe('cutToWidth', () => {
  it.each([
    ['hello', 5, 'hello'],
    ['hello!', 5, 'hell…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['👍🏽👍🏽', 3, '👍🏽…'],
    ['a b', 2, 'a…'],
  ])('cuts %j to %i columns', (text, width, cut) => {
    expect(cutToWidth(text, width)).toBe(cut);
    expect(widthOf(cut)).toBeLessThanOrEqual(width);
  });
});
