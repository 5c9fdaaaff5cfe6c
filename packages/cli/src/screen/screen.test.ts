import { describe, expect, it } from 'vitest';
import { HELD_CHARACTERS, Screen } from './screen.ts';

function screens(isTTY: boolean, options?: { quiet?: boolean }) {
  const all: string[] = [];
  const out: string[] = [];
  const write = (own: string[]) => (text: string) => {
    own.push(text);
    all.push(text);
  };
  const columns = isTTY ? 80 : undefined;
  const screen = new Screen({ isTTY, columns, write: write(out) }, { isTTY, columns, write: write([]) }, options);
  return { screen, all: () => all.join('').replaceAll(/\x1b\[\d+m/g, ''), out: () => out.join('') };
}

describe('Screen', () => {
  it('streams the answer to a terminal, surrounded by blank lines', () => {
    const { screen, all } = screens(true);
    screen.thinking('hm');
    screen.text('Hel');
    screen.text('lo');
    screen.line('tool');
    screen.line('tool');
    screen.text('\n\nbye');
    screen.finish();
    expect(all()).toBe('✻ hm\n\nHello\n\ntool\ntool\n\nbye\n');
  });

  it('writes only complete messages to a file, without discarded ones', () => {
    const { screen, out } = screens(false);
    screen.text('first');
    screen.endMessage();
    screen.text('half');
    screen.discardMessage();
    screen.text('second\n');
    expect(out()).toBe('first\n');
    screen.finish();
    expect(out()).toBe('first\n\nsecond\n');
  });

  it('streams a message that is too long to buffer and cannot discard it', () => {
    const { screen, out } = screens(false);
    const long = '👍\x1b[31m'.repeat(HELD_CHARACTERS / 4);
    screen.text(long);
    expect(out().length).toBeGreaterThan(HELD_CHARACTERS / 4);
    screen.text('end\n');
    expect(screen.discardMessage()).toBe(false);
    screen.text('next');
    expect(screen.discardMessage()).toBe(true);
    screen.text('last');
    screen.finish();
    expect(out().replace(/(?:👍)+/u, '👍')).toMatch(/^👍\n\nlast\n$/);
  });

  it('hides thoughts without a terminal', () => {
    const { screen, all } = screens(false);
    screen.thinking('hm');
    screen.finish();
    expect(all()).toBe('');
  });

  it('appends to a line until something else is written', () => {
    const { screen, all } = screens(true);
    screen.openLine('tool');
    screen.append(' done');
    screen.openLine('other');
    screen.line('note');
    expect(all()).toBe('tool done\nother\nnote\n');
  });

  it('prints only loud lines in quiet mode', () => {
    const { screen, all } = screens(true, { quiet: true });
    screen.line('tool');
    screen.thinking('hm');
    screen.loud('question');
    screen.text('answer');
    screen.finish();
    expect(all()).toBe('question\n\nanswer\n');
  });
});
