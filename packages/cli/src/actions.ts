import type { Command, FlagTable, Given } from './command.ts';
import { print } from './output.ts';
import { UsageError } from './usage-error.ts';

/** What the first word of a command chooses: `amux skills add`. */
export interface Action {
  /** What stands behind the action: `NAME [--project]`. */
  usage: string;
  about: string;
  /** So many words behind the action at least (default 0) and at most. */
  minWords?: number;
  maxWords: number;
  /** The flags of the command that it takes, beside `--json` and `--trust-project`; default: all. Others are refused. */
  flags?: readonly string[];
  /** Its words are those behind the action. */
  run(given: Given): Promise<number>;
}

export type ActionTable = Readonly<Record<string, Action>>;

const FOR_ALL = ['json', 'trust-project', 'help'];

export interface CommandOfActions extends Pick<Command, 'about' | 'examples' | 'notes'> {
  name: string;
  flags: FlagTable;
  actions: ActionTable;
  /** Taken where no word is given; without it, the help is shown. */
  otherwise?: string;
}

/** A command whose first word says what is done. `--help` and the completions know its actions. */
export function commandOfActions({ name, actions, otherwise, ...rest }: CommandOfActions): Command {
  const usage = `amux ${name} ${Object.keys(actions).join('|')} ...`;
  const command: Command = {
    ...rest,
    usage,
    actions,
    maxWords: Number.POSITIVE_INFINITY,
    async run(given) {
      const [word = otherwise, ...words] = given.words;
      if (word === undefined && given.flags.json !== true) {
        const { commandHelp } = await import('./help.ts');
        return print(commandHelp(command));
      }
      const action = word !== undefined && Object.hasOwn(actions, word) ? actions[word] : undefined;
      if (!action) throw await refuseWithoutAction(name, word, actions);
      const hint = `usage: amux ${name} ${word} ${action.usage}`.trimEnd();
      if (words.length < (action.minWords ?? 0)) throw new UsageError(`amux ${name} ${word} needs more words`, hint);
      if (words.length > action.maxWords) {
        const extra = words.slice(action.maxWords).join(' ');
        throw new UsageError(`amux ${name} ${word} does not understand "${extra}"`, hint);
      }
      const foreign = Object.keys(given.flags).find((flag) => !takes(action, flag));
      if (foreign !== undefined) throw new UsageError(`amux ${name} ${word} does not take --${foreign}`, hint);
      return action.run({ flags: given.flags, words });
    },
  };
  return command;
}

/** Whether the flag means something to the action. */
export function takes({ flags }: Action, flag: string): boolean {
  return flags === undefined || flags.includes(flag) || FOR_ALL.includes(flag);
}

async function refuseWithoutAction(name: string, word: string | undefined, actions: ActionTable): Promise<UsageError> {
  const known = Object.keys(actions);
  const list = `say one of: ${known.map((action) => `amux ${name} ${action}`).join(', ')}`;
  if (word === undefined) return new UsageError(`amux ${name} needs to know what to do`, list);
  const { findNearNames } = await import('@agent-mux/core/light');
  const [near] = findNearNames(word, known);
  const hint = near === undefined ? list : `did you mean "amux ${name} ${near}"?`;
  return new UsageError(`amux ${name} cannot "${word}"`, hint);
}
