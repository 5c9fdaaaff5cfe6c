import { type Command, isOn, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const rm: Command = {
  usage: 'amux rm ID... [--yes]',
  about:
    'Removes sessions with all that was stored of them; one that is at work is ended first. A worktree of its own goes too,\n' +
    "after uncommitted work is saved to a ref. The agent's own record of the conversation stays (amux sessions).",
  flags: {
    yes: { type: 'boolean', short: 'y', help: 'Do not ask.' },
    json: { ...JSON_FLAG, help: 'Print the sessions that were removed, as they were.' },
  },
  examples: [
    { command: 'amux rm 3f2a', about: 'asks first, at a terminal' },
    { command: 'amux rm 3f2a 91bc --yes', about: 'several' },
  ],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    firstWord(given, 'rm');
    const { removeSessions } = await import('../../daemon/remove.ts');
    return removeSessions(given, { yes: isOn(given, 'yes') });
  },
};
