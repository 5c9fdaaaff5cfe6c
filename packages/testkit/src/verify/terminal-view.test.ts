import { expect, it } from 'vitest';
import { readScreen } from './terminal-view.ts';

it('reads the text of a screen without control sequences', () => {
  const data = '\x1b[1mhello\x1b[0m\x1b[3Cthere\x1b[12X  \r\n\r\n\r\n\r\n\x1b[?25l> typed \x1b[38;5;1m';
  expect(readScreen(data)).toBe('hello   there\n\n> typed');
});
