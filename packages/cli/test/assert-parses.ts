import { expect } from 'vitest';
import type { Command } from '../src/command.ts';
import { COMMANDS } from '../src/command-table.ts';
import { parseFlags } from '../src/parse-flags.ts';

export async function loadCommand(name: string): Promise<Command> {
  const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.load() : undefined;
  if (!command) throw new Error(`unknown command amux ${name}`);
  return command;
}

/** Asserts that the real parser accepts each `amux` of a shell line: command, flags, subcommand, number of arguments. */
export async function expectParses(line: string): Promise<void> {
  const lines = amuxLines(line);
  expect(lines.length, line).toBeGreaterThan(0);
  for (const [called = '', ...args] of lines) {
    if (called === '' || ['help', '--help', '--version'].includes(called)) continue;
    const command = await loadCommand(called);
    const options = await parseFlags(called, command, args);
    const [word] = options.positionals;
    if (!command.actions || word === undefined) continue;
    const action = Object.hasOwn(command.actions, word) ? command.actions[word] : undefined;
    // A subcommand may be omitted before an agent or a cron expression.
    if (!action && /agent|\bCRON\b/i.test(command.usage)) continue;
    expect(Object.keys(command.actions), line).toContain(word);
    // A name in a sentence, such as `amux profiles set`, is not a command line.
    if (args.length > 1) expect(options.positionals.length - 1, line).toBeGreaterThanOrEqual(action?.minArgs ?? 0);
    expect(options.positionals.length - 1, line).toBeLessThanOrEqual(action?.maxArgs ?? 0);
  }
}

/** The arguments of each `amux` in a shell line, including nested ones. */
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
