import { describe, expect, it } from 'vitest';
import { COMMAND_GROUPS, COMMANDS } from '../src/command-table.ts';
import { generalHelp } from '../src/help.ts';
import { flagsOf } from '../src/parse-flags.ts';
import { expectParses, loadCommand } from './assert-parses.ts';

const NAMES = Object.keys(COMMANDS);

describe('general help', () => {
  it('lists every command once, below a heading', () => {
    const lines = generalHelp().split('\n');
    for (const name of NAMES) expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
    for (const topic of COMMAND_GROUPS) expect(lines).toContain(topic);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    for (const { summary } of Object.values(COMMANDS)) {
      expect(summary).toMatch(/^[A-Z].*[^.]$/);
      expect(summary.length).toBeLessThanOrEqual(60);
    }
  });
});

describe.each(NAMES)('amux %s', (name) => {
  it('has usage, a description, examples and --json', async () => {
    const command = await loadCommand(name);
    expect(command.usage.startsWith(`amux ${name}`)).toBe(true);
    expect(command.description.length).toBeGreaterThan(20);
    expect(command.examples.length).toBeGreaterThan(0);
    expect(flagsOf(command).json).toMatchObject({ type: 'boolean' });
  });

  it('has flags and subcommands with short help texts', async () => {
    const command = await loadCommand(name);
    for (const [flag, { type, help, value, short }] of Object.entries(flagsOf(command))) {
      expect(flag).toMatch(/^[a-z][a-z-]*$/);
      expect(help).toMatch(/[^.]$/);
      expect(value === undefined, `--${flag} has a value placeholder`).toBe(type === 'boolean');
      if (short) expect(short).toMatch(/^[A-Za-z]$/);
    }
    for (const line of command.description.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    for (const line of command.notes ?? []) expect(line.length).toBeLessThanOrEqual(120);
    for (const action of Object.values(command.actions ?? {})) {
      expect(action.about).toMatch(/^[A-Z].*[^.]$/);
      expect(action.about.length).toBeLessThanOrEqual(60);
      for (const flag of action.flags ?? []) expect(Object.keys(command.flags)).toContain(flag);
    }
  });

  it('has unique short flags', async () => {
    const shorts = Object.values(flagsOf(await loadCommand(name))).flatMap(({ short }) => short ?? []);
    expect(new Set(shorts).size).toBe(shorts.length);
  });

  it('parses its own examples', async () => {
    for (const example of (await loadCommand(name)).examples) {
      expect(example.about).toMatch(/^[A-Z].*[^.]$/);
      await expectParses(example.command);
    }
  });
});
