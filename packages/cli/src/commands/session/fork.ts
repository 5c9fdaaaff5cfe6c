import { type Given, isOn, textFlag } from '../../command.ts';
import { commandOnSession } from './one.ts';

export const fork = commandOnSession({
  name: 'fork',
  usage: 'ID [--title TEXT] [--with-changes] [--] [PROMPT...]',
  about:
    'Begins a session from a copy of another one, which stays as it is. Both remember what was said before.\n' +
    'The fork of a session in a worktree gets its own worktree, from the commit that the other one has checked out.',
  flags: {
    title: { type: 'string', value: 'TEXT', help: 'What it is called.' },
    'with-changes': { type: 'boolean', help: 'Copy the uncommitted work of its worktree too.' },
  },
  maxWords: Number.POSITIVE_INFINITY,
  examples: [
    { command: 'amux fork 3f2a "and now the other way"', about: 'try two ways from the same point' },
    { command: 'amux fork 3f2a --title "second try"', about: 'it waits for a message' },
    { command: 'amux fork 3f2a --with-changes "finish it another way"', about: 'with what is not committed yet' },
  ],
  act: (daemon, id, given) =>
    daemon.sessions.fork(id, {
      ...promptOf(given),
      ...titleOf(given),
      ...(isOn(given, 'with-changes') ? { withChanges: true } : {}),
    }),
  tell: ({ id }) => id,
  hint: (id) => `run "amux attach ${id}" to watch it`,
});

function promptOf({ words }: Given): { prompt?: string } {
  const prompt = words.slice(1).join(' ');
  return prompt === '' ? {} : { prompt };
}

function titleOf(given: Given): { title?: string } {
  const title = textFlag(given, 'title');
  return title === undefined ? {} : { title };
}
