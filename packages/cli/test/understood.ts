import { expect } from 'vitest';
import type { Command } from '../src/command.ts';
import { COMMANDS } from '../src/command-table.ts';
import { parseFlags } from '../src/parse-flags.ts';

export async function loadCommand(name: string): Promise<Command> {
  const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.load() : undefined;
  if (!command) throw new Error(`there is no amux ${name}`);
  return command;
}

/** Each `amux` of a shell line is one that the real parser takes: command, flags, action, and how many words it has. */
export async function expectUnderstood(line: string): Promise<void> {
  const lines = amuxLines(line);
  expect(lines.length, line).toBeGreaterThan(0);
  for (const [called = '', ...args] of lines) {
    if (called === '' || ['help', '--help', '--version'].includes(called)) continue;
    const command = await loadCommand(called);
    const given = await parseFlags(called, command, args);
    const [word] = given.words;
    if (!command.actions || word === undefined) continue;
    const action = Object.hasOwn(command.actions, word) ? command.actions[word] : undefined;
    // An action may be left out where an agent, or a time, says enough.
    if (!action && /agent|\bCRON\b/i.test(command.usage)) continue;
    expect(Object.keys(command.actions), line).toContain(word);
    // A name in a sentence, `amux profiles set`, is no command line.
    if (args.length > 1) expect(given.words.length - 1, line).toBeGreaterThanOrEqual(action?.minWords ?? 0);
    expect(given.words.length - 1, line).toBeLessThanOrEqual(action?.maxWords ?? 0);
  }
}

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
