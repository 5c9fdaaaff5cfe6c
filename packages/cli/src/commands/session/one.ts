import type { DaemonClient, Session } from '@agent-mux/api';
import { type Command, type FlagTable, type Given, isOn, JSON_FLAG } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import type { JsonDocuments } from '../../json/documents.ts';
import { UsageError } from '../../usage-error.ts';

type Verb = 'fork' | 'interrupt' | 'park' | 'restore' | 'stop';

/** A command that does one thing to one session, and says in a line what has become of it. */
interface OnSession extends Pick<Command, 'about' | 'examples' | 'notes'> {
  name: Verb;
  /** What stands behind the name; default `ID`. */
  usage?: string;
  flags?: FlagTable;
  maxWords?: number;
  act(daemon: DaemonClient, id: string, given: Given): Promise<Session>;
  /** The result, for stdout. */
  tell(session: Session): string;
  /** The next command, for stderr: stdout carries only the result. */
  hint?(id: string): string;
}

export function commandOnSession({
  name,
  usage = 'ID',
  flags = {},
  maxWords = 1,
  act,
  tell,
  hint,
  ...rest
}: OnSession): Command {
  return {
    ...rest,
    usage: `amux ${name} ${usage}`,
    flags: { ...flags, json: { ...JSON_FLAG, help: 'Print the session.' } },
    maxWords,
    async run(given) {
      const id = firstWord(given, name);
      const { withDaemon } = await import('../../daemon/open.ts');
      const { print, printJson, printNote } = await import('../../output.ts');
      return withDaemon(async (daemon) => {
        const session: JsonDocuments[Verb] = await act(daemon, id, given);
        if (isOn(given, 'json')) return printJson<Verb>(session);
        const shortId = session.id.slice(0, 8);
        print(tell(session));
        return hint ? printNote(hint(shortId)) : EXIT.ok;
      });
    },
  };
}

/** The session that is meant. */
export function firstWord(given: Given, name: string): string {
  const [id] = given.words;
  if (id) return id;
  throw new UsageError(`amux ${name} needs the id of a session`, 'amux ps lists them');
}
