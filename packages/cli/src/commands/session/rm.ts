import { type Command, isOn, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const rm: Command = {
  usage: 'amux rm ID... [--yes]',
  about:
    'Removes sessions with all that was stored of them; a running one is ended first. Its worktree is removed too.\n' +
    'Work in it is saved before: changed and new files to a ref, ignored files and nested repositories to a folder.\n' +
    "Both are printed. The agent's own record of the conversation stays (amux sessions).",
  flags: {
    yes: { type: 'boolean', short: 'y', help: 'Do not ask. Required without a terminal.' },
    json: { ...JSON_FLAG, help: 'Print the removed sessions, and where their work was saved.' },
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
