import { text as readAll } from 'node:stream/consumers';
import { type Given, isOn, textFlag } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { readText } from './options.ts';
import type { Terminal } from './terminal.ts';

/**
 * The words, then the file, then what comes through stdin. Beside words or a file stdin is read only when `-` asks for
 * it: a script's stdin is often open and silent, and would be waited for in vain.
 */
export async function promptOf(given: Given, terminal: Terminal | undefined): Promise<string> {
  const file = textFlag(given, 'file');
  const words = given.words.filter((word) => word !== '-').join(' ');
  const wantsStdin = file === '-' || given.words.includes('-');
  const nothingElse = words === '' && file === undefined;
  const lines = isOn(given, 'interactive');
  const parts = [words, file !== undefined && file !== '-' ? readText('--file', file) : ''];
  if (wantsStdin && lines) throw new UsageError('--interactive reads its turns from stdin; the prompt cannot too');
  if (wantsStdin || (nothingElse && !process.stdin.isTTY && !lines)) parts.push(await readAll(process.stdin));
  const prompt = parts.filter((part) => part.trim() !== '').join('\n\n');
  if (prompt !== '') return prompt;
  const first = lines ? await terminal?.ask('› ') : undefined;
  if (first?.trim()) return first;
  throw new UsageError('there is no prompt', 'amux run -a demo "say hello", or --file FILE, or pipe it in');
}
