import type { DaemonClient, Session } from '@agent-mux/api';
import { type Command, type FlagTable, type Given, isOn, JSON_FLAG } from '../../command.ts';
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
  /** What a person is told. */
  tell(session: Session, id: string): string;
}

export function commandOnSession({
  name,
  usage = 'ID',
  flags = {},
  maxWords = 1,
  act,
  tell,
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
      const { print, printJson } = await import('../../output.ts');
      return withDaemon(async (daemon) => {
        const session: JsonDocuments[Verb] = await act(daemon, id, given);
        if (isOn(given, 'json')) return printJson<Verb>(session);
        return print(tell(session, session.id.slice(0, Math.max(id.length, 8))));
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
