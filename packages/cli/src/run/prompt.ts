import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { assertText, readText } from './read-text.ts';
import { readStdin } from './stdin.ts';

/**
 * Reads the prompt: arguments, then the file, then piped input. `turnsFromStdin`: lines of stdin are turns, so stdin cannot be
 * part of the first one. Empty without a prompt.
 */
export async function promptOf(args: ParsedArgs, turnsFromStdin: boolean): Promise<string> {
  const file = stringFlag(args, 'file');
  const argument = args.positionals.filter((word) => word !== '-').join(' ');
  const wantsStdin = file === '-' || args.positionals.includes('-');
  const written = [argument, file !== undefined && file !== '-' ? readText('--file', file) : '']
    .filter((part) => part.trim() !== '')
    .join('\n\n');
  if (wantsStdin && hasFlag(args, 'no-stdin')) throw new UsageError('--no-stdin and - are mutually exclusive');
  if (wantsStdin && turnsFromStdin) {
    throw new UsageError('--interactive reads turns from stdin, so the prompt cannot come from stdin too');
  }
  if (turnsFromStdin && hasFlag(args, 'no-stdin')) {
    throw new UsageError('--interactive with --no-stdin needs a terminal');
  }
  const mayRead = wantsStdin || (!process.stdin.isTTY && !hasFlag(args, 'no-stdin'));
  if (!mayRead || turnsFromStdin) return written;
  const piped = await readStdin({ mayBeSilent: written !== '' && !wantsStdin });
  assertText('stdin', piped);
  const text = piped.toString('utf8');
  if (text.trim() === '') return written;
  if (written === '') return text;
  return `${written}\n\n${wantsStdin ? text : delimit(text)}`;
}

/** Delimits piped text, whatever it contains. */
function delimit(text: string): string {
  let tag = 'stdin';
  while (text.includes(`</${tag}>`)) tag += '-';
  return `<${tag}>\n${text}${text.endsWith('\n') ? '' : '\n'}</${tag}>`;
}
