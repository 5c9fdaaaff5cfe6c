import type { DaemonClient, Session } from '@agent-mux/api';
import { type Command, type FlagTable, hasFlag, JSON_FLAG, type ParsedArgs } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import type { JsonDocuments } from '../../json/documents.ts';
import { UsageError } from '../../usage-error.ts';

type Verb = 'fork' | 'interrupt' | 'park' | 'restore' | 'stop';

/** A command that performs one action on one session and prints one line about the result. */
interface OnSession extends Pick<Command, 'description' | 'examples' | 'notes'> {
  name: Verb;
  /** Arguments after the name; default `ID`. */
  usage?: string;
  flags?: FlagTable;
  maxArgs?: number;
  act(daemon: DaemonClient, id: string, args: ParsedArgs): Promise<Session>;
  /** Result line for stdout. */
  describe(session: Session): string;
  /** Next command, printed to stderr. */
  hint?(id: string): string;
}

export function commandOnSession({
  name,
  usage = 'ID',
  flags = {},
  maxArgs = 1,
  act,
  describe,
  hint,
  ...rest
}: OnSession): Command {
  return {
    ...rest,
    usage: `amux ${name} ${usage}`,
    flags: { ...flags, json: { ...JSON_FLAG, help: 'Print the session' } },
    maxArgs,
    async run(args) {
      const id = firstWord(args, name);
      const { withDaemon } = await import('../../daemon/open.ts');
      const { print, printJson, printNote } = await import('../../output.ts');
      return withDaemon(async (daemon) => {
        const session: JsonDocuments[Verb] = await act(daemon, id, args);
        if (hasFlag(args, 'json')) return printJson<Verb>(session);
        const shortId = session.id.slice(0, 8);
        print(describe(session));
        return hint ? printNote(hint(shortId)) : EXIT.ok;
      });
    },
  };
}

/** The session id argument. */
export function firstWord(args: ParsedArgs, name: string): string {
  const [id] = args.positionals;
  if (id) return id;
  throw new UsageError(`amux ${name}: missing session id`, 'run "amux ps" to list sessions');
}
