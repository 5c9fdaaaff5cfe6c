import { describe, expect, it } from 'vitest';
import { linePattern, PATTERN_LINE_CHARS } from './line-pattern.ts';

describe('line pattern', () => {
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
  ])('matches %j against %j: %s', (pattern, line, matches) => {
    expect(linePattern(pattern)?.matches(line)).toBe(matches);
  });

  it('knows prefixes that may still become a match', () => {
    const pattern = linePattern('In [*]: ');
    expect(['', 'I', 'In [', 'In [1', 'In [1]', 'In [1]:'].map((line) => pattern?.mayMatch(line))).toEqual(
      Array(6).fill(true),
    );
    expect(['Out', 'In 1'].map((line) => pattern?.mayMatch(line))).toEqual([false, false]);
  });

  it('is rejected if it would match any line', () => {
    for (const pattern of ['', ' ', '*', '* *']) expect(linePattern(pattern)).toBeUndefined();
  });

  it('stays fast for any input', () => {
    const pattern = linePattern('*a'.repeat(100));
    const startedAt = performance.now();
    for (let i = 0; i < 20; i += 1) expect(pattern?.matches(`${'a'.repeat(PATTERN_LINE_CHARS - 1)}b`)).toBe(false);
    expect(pattern?.matches('a'.repeat(1_000_000))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
