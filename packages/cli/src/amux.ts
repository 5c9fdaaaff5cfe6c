import { COMMANDS } from './command-table.ts';
import { EXIT } from './exit-codes.ts';
import { packageVersion } from './package-version.ts';
import { UsageError } from './usage-error.ts';

const HELP = ['help', '--help', '-h'];
/** `amux` without arguments on a terminal. */
const HOME = '';
const VERSION = ['--version', '-V', 'version'];

/** Runs the command line and returns the exit code. */
export async function amux(args: readonly string[]): Promise<number> {
  const [first = process.stdout.isTTY ? HOME : 'help', ...rest] = args;
  if (VERSION.includes(first)) return print(packageVersion());
  try {
    if (HELP.includes(first)) return print(await helpFor(rest[0]));
    if (first === HOME) return await showHome();
    if (first === 'complete') return await completeFor(rest);
    const command = await findCommand(first);
    const { parseFlags } = await import('./parse-flags.ts');
    const options = await parseFlags(first, command, rest);
    if (options.flags.help === true) return print(await helpFor(first));
    return await command.run(options);
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
  return home(packageVersion());
}

/** `amux complete`, called by the shell completion scripts. */
async function completeFor(args: readonly string[]): Promise<number> {
  const { complete } = await import('./completions/complete.ts');
  await complete(args);
  return EXIT.ok;
}

async function helpFor(name: string | undefined): Promise<string> {
  const { commandHelp, generalHelp } = await import('./help.ts');
  return name === undefined ? generalHelp() : commandHelp(await findCommand(name));
}

async function findCommand(name: string) {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry) return entry.load();
  const { suggestNames } = await import('@agent-mux/core/light');
  const near = suggestNames(name, Object.keys(COMMANDS));
  const hint = near.length > 0 ? `did you mean "amux ${near[0]}"?` : 'run "amux help" to list commands';
  throw new UsageError(name.startsWith('-') ? `unknown flag ${name}` : `unknown command "${name}"`, hint);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}
