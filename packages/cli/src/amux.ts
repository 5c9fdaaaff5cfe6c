import { COMMANDS } from './command-table.ts';
import { EXIT } from './exit-codes.ts';
import { ownVersion } from './own-version.ts';
import { UsageError } from './usage-error.ts';

const HELP = ['help', '--help', '-h'];
/** What a person sees who says nothing. */
const HOME = '';
const VERSION = ['--version', '-V', 'version'];

/** The whole command: arguments in, exit code out. */
export async function amux(args: readonly string[]): Promise<number> {
  const [first = process.stdout.isTTY ? HOME : 'help', ...rest] = args;
  if (VERSION.includes(first)) return print(ownVersion());
  try {
    if (HELP.includes(first)) return print(await helpFor(rest[0]));
    if (first === HOME) return await showHome();
    if (first === 'complete') return await completeFor(rest);
    const command = await findCommand(first);
    const { parseFlags } = await import('./parse-flags.ts');
    const given = await parseFlags(first, command, rest);
    if (given.flags.help === true) return print(await helpFor(first));
    return await command.run(given);
  } catch (error) {
    const { describeFailure, reportFailure } = await import('./failure.ts');
    const failure = await describeFailure(error);
    const end = args.indexOf('--');
    reportFailure(failure, args.slice(0, end === -1 ? undefined : end).includes('--json'));
    return failure.exitCode;
  }
}

async function showHome(): Promise<number> {
  const { home } = await import('./home.ts');
  return home(ownVersion());
}

/** For the shells, which are told nothing but words. */
async function completeFor(words: readonly string[]): Promise<number> {
  const { complete } = await import('./completions/complete.ts');
  await complete(words);
  return EXIT.ok;
}

async function helpFor(name: string | undefined): Promise<string> {
  const { commandHelp, generalHelp } = await import('./help.ts');
  return name === undefined ? generalHelp() : commandHelp(await findCommand(name));
}

async function findCommand(name: string) {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry) return entry.load();
  const { findNearNames } = await import('@agent-mux/core/light');
  const near = findNearNames(name, Object.keys(COMMANDS));
  const hint = near.length > 0 ? `did you mean "amux ${near[0]}"?` : 'amux help lists the commands';
  throw new UsageError(name.startsWith('-') ? `unknown flag ${name}` : `there is no command "${name}"`, hint);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}
