import { type Command, hasFlag, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const rm: Command = {
  usage: 'amux rm ID... [--yes]',
  description:
    'Stops and removes sessions with everything stored about them, including their worktrees.\n' +
    'Uncommitted work in a worktree is saved first: changed and new files to a ref, ignored files and\n' +
    "nested repositories to a folder; both are printed. The agent's own copy of the conversation is\n" +
    'kept (see "amux sessions").',
  flags: {
    yes: { type: 'boolean', short: 'y', help: 'Do not ask for confirmation; required without a terminal' },
    json: { ...JSON_FLAG, help: 'Print the removed sessions and where their work was saved' },
  },
  examples: [
    { command: 'amux rm 3f2a', about: 'Remove a session after confirmation' },
    { command: 'amux rm 3f2a 91bc --yes', about: 'Remove two sessions without confirmation' },
  ],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    firstWord(options, 'rm');
    const { removeSessions } = await import('../../daemon/remove.ts');
    return removeSessions(options, { yes: hasFlag(options, 'yes') });
  },
};
