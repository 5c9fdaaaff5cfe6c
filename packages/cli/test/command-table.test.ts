import { describe, expect, it } from 'vitest';
import type { Command } from '../src/command.ts';
import { COMMANDS, TOPICS } from '../src/command-table.ts';
import { generalHelp } from '../src/help.ts';
import { flagsOf, parseFlags } from '../src/parse-flags.ts';

const NAMES = Object.keys(COMMANDS);

async function load(name: string): Promise<Command> {
  const command = await COMMANDS[name]?.load();
  if (!command) throw new Error(`there is no ${name}`);
  return command;
}

describe('the general help', () => {
  it('has every command once, below a heading', () => {
    const lines = generalHelp().split('\n');
    for (const name of NAMES) expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
    for (const topic of TOPICS) expect(lines).toContain(topic);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  });
});

describe.each(NAMES)('amux %s', (name) => {
  it('says what it is, how it is used, and has --json', async () => {
    const command = await load(name);
    expect(command.usage.startsWith(`amux ${name}`)).toBe(true);
    expect(command.about.length).toBeGreaterThan(20);
    expect(command.examples.length).toBeGreaterThan(0);
    expect(flagsOf(command).json).toMatchObject({ type: 'boolean' });
  });

  it('explains its flags and actions in lines that fit', async () => {
    const command = await load(name);
    for (const [flag, { type, help, value, short }] of Object.entries(flagsOf(command))) {
      expect(flag).toMatch(/^[a-z][a-z-]*$/);
      expect(help).toMatch(/[.)]$/);
      expect(value === undefined, `--${flag} says what stands for its value`).toBe(type === 'boolean');
      if (short) expect(short).toMatch(/^[A-Za-z]$/);
    }
    for (const line of command.about.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    for (const line of command.notes ?? []) expect(line.length).toBeLessThanOrEqual(120);
    for (const action of Object.values(command.actions ?? {})) {
      expect(action.about.length).toBeGreaterThan(3);
      for (const flag of action.flags ?? []) expect(Object.keys(command.flags)).toContain(flag);
    }
  });

  it('has short flags that are not given twice', async () => {
    const shorts = Object.values(flagsOf(await load(name))).flatMap(({ short }) => short ?? []);
    expect(new Set(shorts).size).toBe(shorts.length);
  });

  it('understands its own examples', async () => {
    for (const example of (await load(name)).examples) {
      expect(example.about.length).toBeGreaterThan(2);
      const lines = amuxLines(example.command);
      expect(lines.length, example.command).toBeGreaterThan(0);
      for (const [called = '', ...args] of lines) {
        const command = await load(called);
        const given = await parseFlags(called, command, args);
        const [word] = given.words;
        if (!command.actions || word === undefined) continue;
        const action = Object.hasOwn(command.actions, word) ? command.actions[word] : undefined;
        // An action may be left out where an agent says enough.
        if (!action && /agent/i.test(command.usage)) continue;
        expect(Object.keys(command.actions), example.command).toContain(word);
        expect(given.words.length - 1).toBeGreaterThanOrEqual(action?.minWords ?? 0);
        expect(given.words.length - 1).toBeLessThanOrEqual(action?.maxWords ?? 0);
      }
    }
  });
});

/** The words behind each `amux` of a shell line, also of one within another. */
function amuxLines(line: string): string[][] {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([|<>&();]+)|([^\s|<>&();'"]+)/g)];
  const found: string[][] = [];
  let open: string[] | undefined;
  for (const [, double, single, operator, bare] of words) {
    const text = double ?? single ?? bare ?? '';
    if (operator || text === '#') open = undefined;
    else if (open) open.push(text);
    else if (text === 'amux') {
      open = [];
      found.push(open);
    } else if (/\((?=amux )/.test(text)) found.push(...amuxLines(text));
  }
  return found;
}
