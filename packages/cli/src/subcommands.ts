import type { Command, FlagTable, ParsedArgs } from './command.ts';
import { print } from './output.ts';
import { UsageError } from './usage-error.ts';

/** A subcommand, chosen by the first argument of a command: `amux skills add`. */
export interface Subcommand {
  /** Arguments after the subcommand: `NAME [--project]`. */
  usage: string;
  about: string;
  /** Number of positional arguments after the subcommand: minimum (default 0) and maximum. */
  minArgs?: number;
  maxArgs: number;
  /** Accepted flags of the command, in addition to `--json` and `--trust-project`; default: all. */
  flags?: readonly string[];
  /** The positionals exclude the subcommand itself. */
  run(args: ParsedArgs): Promise<number>;
}

export type SubcommandTable = Readonly<Record<string, Subcommand>>;

const COMMON_FLAGS = ['json', 'trust-project', 'help'];

export interface CommandWithSubcommands extends Pick<Command, 'description' | 'examples' | 'notes'> {
  name: string;
  flags: FlagTable;
  actions: SubcommandTable;
  /** Subcommand to run when none is given; without it, the help is printed. */
  fallback?: string;
}

/** Creates a command whose first argument selects a subcommand. Help and completion list the subcommands. */
export function defineSubcommands({ name, actions, fallback, ...rest }: CommandWithSubcommands): Command {
  const usage = `amux ${name} ${Object.keys(actions).join('|')} ...`;
  const command: Command = {
    ...rest,
    usage,
    actions,
    maxArgs: Number.POSITIVE_INFINITY,
    async run(args) {
      const [word = fallback, ...positionals] = args.positionals;
      if (word === undefined && args.flags.json !== true) {
        const { commandHelp } = await import('./help.ts');
        return print(commandHelp(command));
      }
      const action = word !== undefined && Object.hasOwn(actions, word) ? actions[word] : undefined;
      if (!action) throw await unknownSubcommand(name, word, actions);
      const hint = `usage: amux ${name} ${word} ${action.usage}`.trimEnd();
      if (positionals.length < (action.minArgs ?? 0))
        throw new UsageError(`amux ${name} ${word}: missing argument`, hint);
      if (positionals.length > action.maxArgs) {
        const extra = positionals.slice(action.maxArgs).join(' ');
        throw new UsageError(`amux ${name} ${word}: unexpected argument "${extra}"`, hint);
      }
      const foreign = Object.keys(args.flags).find((flag) => !accepts(action, flag));
      if (foreign !== undefined) throw new UsageError(`amux ${name} ${word}: unsupported flag --${foreign}`, hint);
      return action.run({ flags: args.flags, positionals });
    },
  };
  return command;
}

/** Whether the subcommand accepts the flag. */
export function accepts({ flags }: Subcommand, flag: string): boolean {
  return flags === undefined || flags.includes(flag) || COMMON_FLAGS.includes(flag);
}

async function unknownSubcommand(
  name: string,
  word: string | undefined,
  actions: SubcommandTable,
): Promise<UsageError> {
  const known = Object.keys(actions);
  const list = `use one of: ${known.map((action) => `amux ${name} ${action}`).join(', ')}`;
  if (word === undefined) return new UsageError(`amux ${name}: missing command`, list);
  const { suggestNames } = await import('@agent-mux/core/light');
  const [near] = suggestNames(word, known);
  const hint = near === undefined ? list : `did you mean "amux ${name} ${near}"?`;
  return new UsageError(`unknown command "amux ${name} ${word}"`, hint);
}
