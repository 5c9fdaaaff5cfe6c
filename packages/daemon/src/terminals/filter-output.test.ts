import headless from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOutputFilter } from './filter-output.ts';

const filter = (text: string) => createOutputFilter()(text);

describe('createOutputFilter', () => {
  it.each([
    ['clipboard', '\x1b]52;c;aGk=\x07'],
    ['clipboard, ended by ST', '\x1b]52;c;aGk=\x1b\\'],
    ['clipboard, in eight bits', '\x9d52;c;aGk=\x9c'],
    ['question for the clipboard', '\x1b]52;c;?\x07'],
    ['title', '\x1b]0;amux: approve?\x07\x1b]2;x\x1b\\'],
    ['title stack', '\x1b[22;0t\x1b[23;0t'],
    ['question for the title', '\x1b[21t'],
    ['window that is moved', '\x1b[3;0;0t\x1b[8;1;1t\x1b[2t'],
    ['hyperlink', '\x1b]8;;http://127.0.0.1/\x07'],
    ['notification', '\x1b]9;hi\x07\x1b]777;notify;a;b\x07\x1b]99;;x\x1b\\'],
    ['image and file', '\x1b]1337;File=name=eA==;inline=1:AAAA\x07'],
    ['palette', '\x1b]4;1;#fff\x07\x1b]10;?\x07\x1b]11;#000\x07\x1b]104\x07'],
    ['folder and prompt marks', '\x1b]7;file:///etc\x07\x1b]133;A\x07'],
    ['DCS', '\x1bP$q"p\x1b\\\x1bPtmux;\x1b\x1b]52;c;x\x07\x1b\\\x90q#0\x9c'],
    ['DCS that a bell does not end', '\x1bPq\x07\x1b]52;c;x\x07\x1b\\'],
    ['APC, PM, SOS', '\x1b_Ga=T;AAAA\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\\x9fx\x9c'],
    ['questions', '\x1b[c\x1b[>c\x1b[=c\x1b[6n\x1b[?6n\x1b[5n\x1b[?1$p\x1b[>q\x1b[?u\x1b[x\x1b[1;1;1;1;1;1*y\x05\x1bZ'],
    ['locked keyboard', '\x1b[2h'],
    ['columns', '\x1b[?3h'],
    ['blocks of the screen', '\x1b[1;1;2;2;3;3$v\x1b[65;1;1;2;2$x'],
    ['memory lock, eight-bit answers', '\x1bl\x1bm\x1b G\x1b%G'],
    ['media copy', '\x1b[5i\x1b[4i'],
    ['endless repeat', '\x1b[99999999b'],
    ['endless parameters', `\x1b[${'1;'.repeat(500)}m`.slice(0, 300)],
    ['NUL and DEL', '\0\x7f'],
  ])('has no %s', (_, sequence) => {
    expect(filter(sequence)).not.toMatch(/[\x1b\x80-\x9f\x00-\x06]|52;c/);
    expect(filter(`a${sequence}`).startsWith('a')).toBe(true);
  });

  it.each([
    'hello\r\n\tworld\b\x07 ünï 漢字 🙂',
    '\x1b[1;38;2;10;20;30;4:3mx\x1b[0m',
    '\x1b[H\x1b[2J\x1b[10;20H\x1b[3A\x1b[K\x1b[2L\x1b[1;20r\x1b[s\x1b[u\x1b[5X\x1b[4@\x1b[2P\x1b[3b',
    '\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1006;1002h\x1b[?2026h\x1b[?1l\x1b[4h',
    '\x1b7\x1b8\x1bM\x1b=\x1b>\x1b(0lqk\x1b(B\x0e\x0f\x1b[2 q\x1b[!p\x1b[>1u\x1b[<u\x1b[>4;2m\x1b#8',
  ])('has all that draws: %j', (text) => {
    expect(filter(text)).toBe(text);
  });

  it('keeps only the known modes of a sequence', () => {
    expect(filter('\x1b[?3;1049;9999h')).toBe('\x1b[?1049h');
  });

  it('replaces a full reset by clearing the screen', () => {
    expect(filter('\x1bc')).toBe('\x1b[!p\x1b[2J\x1b[H');
  });

  it('gives the same result wherever the output is split', () => {
    const whole = 'a\x1b]52;c;x\x1b\\b\x1b[31mc\x1bPq\x1b\\d\x1b(0e\x9d0;t\x07f\x1b[?1049;3hg\x1bc';
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 6 }), (cuts) => {
        const filterParts = createOutputFilter();
        const bounds = [0, ...cuts.toSorted((one, other) => one - other), whole.length];
        const parts = bounds.slice(1).map((end, index) => filterParts(whole.slice(bounds[index], end)));
        expect(parts.join('')).toBe(filter(whole));
      }),
    );
  });

  it('passes nothing that makes a terminal reply or accept a title, link or string', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '\x1b',
        '\x1b[',
        '\x1b]',
        '\x1bP',
        '\x1b_',
        '\x1b\\',
        '\x07',
        '\x9b',
        '\x9d',
        '\x90',
        '\x9c',
        '?',
        '>',
        '$',
        ';',
      ),
      fc.constantFrom(
        '52',
        '0',
        '6',
        'n',
        'c',
        't',
        'q',
        'h',
        'l',
        'm',
        'u',
        'p',
        'Z',
        '\x05',
        '\x18',
        '#',
        ' ',
        '(',
        '1;1',
        'text',
      ),
      fc.string({ maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const terminal = new headless.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
        const heard: string[] = [];
        terminal.onData((data) => heard.push(data));
        terminal.onTitleChange((title) => heard.push(title));
        for (const code of [0, 2, 4, 8, 10, 11, 12, 52, 104, 777, 1337])
          terminal.parser.registerOscHandler(code, () => {
            heard.push(`OSC ${code}`);
            return true;
          });
        const filtered = filter(pieces.join(''));
        await new Promise<void>((resolve) => terminal.write(filtered, resolve));
        terminal.dispose();
        expect([filtered, heard]).toEqual([filtered, []]);
      }),
    );
  });

  it('handles adversarial output in linear time', () => {
    const started = performance.now();
    const filterParts = createOutputFilter();
    for (let at = 0; at < 50; at += 1)
      filterParts(`\x1b]${'x'.repeat(20_000)}\x1b[${'1'.repeat(1000)}${'\x1b'.repeat(1000)}`);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
