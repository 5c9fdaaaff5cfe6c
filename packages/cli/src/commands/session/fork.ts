import { type Given, textFlag } from '../../command.ts';
import { commandOnSession } from './one.ts';

export const fork = commandOnSession({
  name: 'fork',
  usage: 'ID [--title TEXT] [--] [PROMPT...]',
  about: 'Begins a session from a copy of another one, which stays as it is. Both remember what was said before.',
  flags: { title: { type: 'string', value: 'TEXT', help: 'What it is called.' } },
  maxWords: Number.POSITIVE_INFINITY,
  examples: [
    { command: 'amux fork 3f2a "and now the other way"', about: 'try two ways from the same point' },
    { command: 'amux fork 3f2a --title "second try"', about: 'it waits for a message' },
  ],
  act: (daemon, id, given) => daemon.sessions.fork(id, { ...promptOf(given), ...titleOf(given) }),
  tell: (session) => `${session.id}\namux attach ${session.id.slice(0, 8)} shows it.`,
});

function promptOf({ words }: Given): { prompt?: string } {
  const prompt = words.slice(1).join(' ');
  return prompt === '' ? {} : { prompt };
}

function titleOf(given: Given): { title?: string } {
  const title = textFlag(given, 'title');
  return title === undefined ? {} : { title };
}
