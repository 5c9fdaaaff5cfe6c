import { describe, expect, it } from 'vitest';
import { MAX_TYPED_LINE_BYTES, quoteForTerminal, readTerminalLine } from './terminal-text.ts';

const ESC = '\x1b';

describe('text of a terminal line', () => {
  it.each([
    ['plain text as it is', 'a\tb – ü', 'a\tb – ü'],
    ['colors', `${ESC}[1;31mred${ESC}[0m ${ESC}[38:2::1:2:3mpink${ESC}[m`, 'red pink'],
    ['titles with spaces', `${ESC}]0;me@host: ~/a b${ESC}\\one${ESC}]2;t${'\x07'} two`, 'one two'],
    ['links', `${ESC}]8;;http://a.b/c d${ESC}\\here${ESC}]8;;${ESC}\\`, 'here'],
    ['images and queries to the terminal', `${ESC}P+q544e${ESC}\\a${ESC}_Ga=T;AAAA${ESC}\\b`, 'ab'],
    ['modes, also private ones', `${ESC}[?2004h${ESC}[?25l${ESC}[>4;1m${ESC}[<u${ESC}[!px${ESC}[2 q`, 'x'],
    ['character sets, keeping the next letter', `${ESC}(Bx${ESC})0y${ESC}7z${ESC}8${ESC}=`, 'xyz'],
    ['cursor movement', `${ESC}[10;20Ha${ESC}[5A${ESC}[1;3r`, 'a'],
    ['cursor movements, which become spaces', `one${ESC}[Ctwo${ESC}[3Cthree`, 'one two   three'],
    ['the last state of a progress bar', ' 10%\r 50%\r100%', '100%'],
    ['the rest of a longer line under a shorter one', 'downloading\rdone', 'doneloading'],
    ['no erased text', `downloading\r${ESC}[Kdone`, 'done'],
    ['no text of an erased line', `downloading${ESC}[2K\rok`, 'ok'],
    ['returns at the end', 'done\r\r', 'done'],
    ['a spinner of backspaces', 'busy |\b/\b-\b\\\b ', 'busy  '],
    ['bells', 'a\x07b', 'ab'],
    ['all the text after a title that never ends', `a${ESC}]0;never ends`, 'a]0;never ends'],
  ])('%s', (_what, line, shown) => {
    expect(readTerminalLine(line)).toBe(shown);
  });

  it.each([
    ['escapes', ESC],
    ['unfinished titles', `${ESC}]0;a`],
    ['unfinished parameters', `${ESC}[;1`],
    ['returns', 'a\r'],
    ['backspaces', 'a\b'],
    ['erasures', `a${ESC}[0;K\r`],
  ])('is parsed in linear time for a line of %s', (_what, part) => {
    const started = performance.now();
    readTerminalLine(part.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('typed text', () => {
  it('has Enter for newlines and quoted control characters', () => {
    expect(quoteForTerminal('a\r\nb\n\x03\x04\t\x1b')).toBe('a\rb\r\x16\x03\x16\x04\x16\t\x16\x1b');
  });

  it('is rejected if the terminal would cut a line', () => {
    expect(quoteForTerminal('x'.repeat(MAX_TYPED_LINE_BYTES))).toHaveLength(MAX_TYPED_LINE_BYTES);
    expect(() => quoteForTerminal('x'.repeat(MAX_TYPED_LINE_BYTES + 1))).toThrow(/prompt: has a line of \d+ bytes/);
  });
});
