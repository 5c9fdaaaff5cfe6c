import { listFlag, stringFlag } from '../../command.ts';
import { commandOnSession } from './one.ts';

export const restore = commandOnSession({
  name: 'restore',
  usage: 'ID [--env K=V...] [--agent NAME] [--cwd DIR]',
  description:
    'Restores an ended session: same conversation, same settings. Given the id of a session an agent\n' +
    'has stored itself (see "amux sessions"), imports it as a background session.',
  flags: {
    env: {
      type: 'string',
      multiple: true,
      value: 'K=V',
      help: 'Set a variable the session needs (values are not stored); K alone passes yours',
    },
    agent: {
      type: 'string',
      short: 'a',
      value: 'NAME',
      help: 'Agent of the stored session, if ambiguous',
    },
    cwd: {
      type: 'string',
      short: 'C',
      value: 'DIR',
      help: 'Working directory for an imported session (default: its own)',
    },
  },
  examples: [
    { command: 'amux restore 3f2a', about: 'Restore an ended session' },
    { command: 'amux restore 3f2a --env ANTHROPIC_API_KEY', about: 'Pass a variable it needs' },
    {
      command: 'amux restore claude:0b2f61f6-3c1c-4c5e-a92e-b3b7c6d0e5aa',
      about: 'Import a session stored by the agent',
    },
  ],
  act: async (daemon, id, options) => {
    const { restoreAny } = await import('../../daemon/restore.ts');
    return restoreAny(daemon, id, {
      variables: listFlag(options, 'env'),
      agent: stringFlag(options, 'agent'),
      cwd: stringFlag(options, 'cwd'),
    });
  },
  describe: ({ id, agent }) => `${id}  ${agent}`,
  hint: (id) => `run "amux send ${id} ..." to continue it, "amux attach ${id}" to watch it`,
});
