import { hasFlag, type ParsedArgs, stringFlag } from '../../command.ts';
import { commandOnSession } from './one.ts';

export const fork = commandOnSession({
  name: 'fork',
  usage: 'ID [--title TEXT] [--with-changes] [--] [PROMPT...]',
  description:
    'Starts a session from a copy of another. The original is unchanged. The fork of a session in a\n' +
    'worktree gets its own worktree, based on the commit checked out in the original.',
  flags: {
    title: { type: 'string', value: 'TEXT', help: 'Session title' },
    'with-changes': { type: 'boolean', help: 'Copy uncommitted changes of the worktree' },
  },
  maxArgs: Number.POSITIVE_INFINITY,
  examples: [
    { command: 'amux fork 3f2a "and now the other way"', about: 'Try a second approach from the same point' },
    { command: 'amux fork 3f2a --title "second try"', about: 'Fork it and wait for a message' },
    { command: 'amux fork 3f2a --with-changes "finish it another way"', about: 'Include uncommitted changes' },
  ],
  act: (daemon, id, args) =>
    daemon.sessions.fork(id, {
      ...promptOf(args),
      ...titleOf(args),
      ...(hasFlag(args, 'with-changes') ? { withChanges: true } : {}),
    }),
  describe: ({ id }) => id,
  hint: (id) => `run "amux attach ${id}" to watch it`,
});

function promptOf({ positionals }: ParsedArgs): { prompt?: string } {
  const prompt = positionals.slice(1).join(' ');
  return prompt === '' ? {} : { prompt };
}

function titleOf(args: ParsedArgs): { title?: string } {
  const title = stringFlag(args, 'title');
  return title === undefined ? {} : { title };
}
