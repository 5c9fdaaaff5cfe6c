import { describe, expect, it } from 'vitest';
import { COMMANDS, TOPICS } from '../src/command-table.ts';
import { generalHelp } from '../src/help.ts';
import { flagsOf } from '../src/parse-flags.ts';
import { expectUnderstood, loadCommand } from './understood.ts';

const NAMES = Object.keys(COMMANDS);

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
    const command = await loadCommand(name);
    expect(command.usage.startsWith(`amux ${name}`)).toBe(true);
    expect(command.about.length).toBeGreaterThan(20);
    expect(command.examples.length).toBeGreaterThan(0);
    expect(flagsOf(command).json).toMatchObject({ type: 'boolean' });
  });

  it('explains its flags and actions in lines that fit', async () => {
    const command = await loadCommand(name);
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
    const shorts = Object.values(flagsOf(await loadCommand(name))).flatMap(({ short }) => short ?? []);
    expect(new Set(shorts).size).toBe(shorts.length);
  });

  it('understands its own examples', async () => {
    for (const example of (await loadCommand(name)).examples) {
      expect(example.about.length).toBeGreaterThan(2);
      await expectUnderstood(example.command);
    }
  });
});
