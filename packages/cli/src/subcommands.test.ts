import { describe, expect, it } from 'vitest';
import type { ParsedArgs } from './command.ts';
import { defineSubcommands } from './subcommands.ts';

const seen: ParsedArgs[] = [];
const keep = async (args: ParsedArgs) => seen.push(args);
const command = defineSubcommands({
  name: 'things',
  description: 'Things.',
  flags: { force: { type: 'boolean', help: 'Do.' }, json: { type: 'boolean', help: 'JSON.' } },
  examples: [],
  actions: {
    list: { usage: '', about: 'all', maxArgs: 0, flags: [], run: keep },
    add: { usage: 'NAME', about: 'one', minArgs: 1, maxArgs: 1, run: keep },
  },
  fallback: 'list',
});
const run = (positionals: string[], flags: ParsedArgs['flags'] = {}) => command.run({ positionals, flags });
const errorOf = (args: string[], flags: ParsedArgs['flags'] = {}) =>
  run(args, flags).then(
    () => 'nothing',
    (error: Error & { hint?: string }) => `${error.message} | ${error.hint}`,
  );

describe('defineSubcommands', () => {
  it('runs the subcommand with the remaining arguments', async () => {
    await run(['add', 'x'], { force: true });
    expect(seen.at(-1)).toEqual({ positionals: ['x'], flags: { force: true } });
    await run([], { json: true });
    expect(seen.at(-1)).toEqual({ positionals: [], flags: { json: true } });
  });

  it('suggests a similar subcommand, or lists all', async () => {
    expect(await errorOf(['ad'])).toBe('unknown command "amux things ad" | did you mean "amux things add"?');
    expect(await errorOf(['zzz'])).toContain('use one of: amux things list, amux things add');
    expect(await errorOf(['toString'])).toContain('unknown command "amux things toString"');
  });

  it('rejects missing and extra arguments, and flags of other subcommands', async () => {
    expect(await errorOf(['add'])).toBe('amux things add: missing argument | usage: amux things add NAME');
    expect(await errorOf(['add', 'x', 'y'])).toContain('unexpected argument "y"');
    expect(await errorOf(['list'], { force: true })).toContain('amux things list: unsupported flag --force');
  });
});
