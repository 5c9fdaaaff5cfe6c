import { type Given, isOn, textFlag } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { assertText, readText } from './read-text.ts';
import { readStdin } from './stdin.ts';

/**
 * The words, then the file, then what is piped in. `turnsFromStdin`: its lines are turns of a conversation, so it cannot be
 * a part of the first one too. Empty: nothing was said.
 */
export async function promptOf(given: Given, turnsFromStdin: boolean): Promise<string> {
  const file = textFlag(given, 'file');
  const words = given.words.filter((word) => word !== '-').join(' ');
  const wantsStdin = file === '-' || given.words.includes('-');
  const spoken = [words, file !== undefined && file !== '-' ? readText('--file', file) : '']
    .filter((part) => part.trim() !== '')
    .join('\n\n');
  if (wantsStdin && isOn(given, 'no-stdin')) throw new UsageError('--no-stdin contradicts -', 'give one of them');
  if (wantsStdin && turnsFromStdin) {
    throw new UsageError('--interactive reads its turns from stdin; the prompt cannot too');
  }
  if (turnsFromStdin && isOn(given, 'no-stdin')) {
    throw new UsageError('--no-stdin leaves --interactive nothing to read: there is no terminal');
  }
  const mayRead = wantsStdin || (!process.stdin.isTTY && !isOn(given, 'no-stdin'));
  if (!mayRead || turnsFromStdin) return spoken;
  const piped = await readStdin({ mayBeSilent: spoken !== '' && !wantsStdin });
  assertText('stdin', piped);
  const text = piped.toString('utf8');
  if (text.trim() === '') return spoken;
  if (spoken === '') return text;
  return `${spoken}\n\n${wantsStdin ? text : delimit(text)}`;
}

/** Where it begins and ends is seen, whatever it holds. */
function delimit(text: string): string {
  let tag = 'stdin';
  while (text.includes(`</${tag}>`)) tag += '-';
  return `<${tag}>\n${text}${text.endsWith('\n') ? '' : '\n'}</${tag}>`;
}
