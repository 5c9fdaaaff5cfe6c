import { describe, expect, it } from 'vitest';
import { linePattern, PATTERN_LINE_CHARS } from './line-pattern.ts';

describe('the pattern of a line', () => {
  it.each([
    ['> ', '>', true],
    ['>', '>   ', true],
    ['> ', '> quoted', false],
    ['In [*]: ', 'In [12]: ', true],
    ['In [*]: ', 'In [12]', false],
    ['*$ ', 'me@box:~/work$ ', true],
    ['*$ ', 'costs 5$ a day', false],
    ['a*b*c', 'a-b-b-c', true],
    ['\\*\\\\ ', '*\\', true],
    ['\\*', 'x', false],
    ['(.+)+$', '(.+)+$', true],
  ])('%j against %j is %s', (pattern, line, matches) => {
    expect(linePattern(pattern)?.matches(line)).toBe(matches);
  });

  it('knows what may still become a match', () => {
    const pattern = linePattern('In [*]: ');
    expect(['', 'I', 'In [', 'In [1', 'In [1]', 'In [1]:'].map((line) => pattern?.mayMatch(line))).toEqual(
      Array(6).fill(true),
    );
    expect(['Out', 'In 1'].map((line) => pattern?.mayMatch(line))).toEqual([false, false]);
  });

  it('is refused where it would match any line', () => {
    for (const pattern of ['', ' ', '*', '* *']) expect(linePattern(pattern)).toBeUndefined();
  });

  it('stays quick, whatever it is matched against', () => {
    const pattern = linePattern('*a'.repeat(100));
    const begun = performance.now();
    for (let i = 0; i < 20; i += 1) expect(pattern?.matches(`${'a'.repeat(PATTERN_LINE_CHARS - 1)}b`)).toBe(false);
    expect(pattern?.matches('a'.repeat(1_000_000))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
