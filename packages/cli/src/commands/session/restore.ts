import { listFlag, textFlag } from '../../command.ts';
import { commandOnSession } from './one.ts';

export const restore = commandOnSession({
  name: 'restore',
  usage: 'ID [--env K=V...] [--agent NAME] [--cwd DIR]',
  about:
    'Brings back a session that has ended, with the settings that it had: the same conversation, by its exact id. A session\n' +
    'that an agent has stored by itself (amux sessions) becomes one of the daemon.',
  flags: {
    env: {
      type: 'string',
      multiple: true,
      value: 'K=V',
      help: 'A variable that it was begun with: values are not stored. K alone passes yours on.',
    },
    agent: {
      type: 'string',
      short: 'a',
      value: 'NAME',
      help: 'Whose stored session it is, where several may have it.',
    },
    cwd: {
      type: 'string',
      short: 'C',
      value: 'DIR',
      help: 'Where a stored session is to go on (default: where it was held).',
    },
  },
  examples: [
    { command: 'amux restore 3f2a', about: 'go on where it ended' },
    { command: 'amux restore 3f2a --env ANTHROPIC_API_KEY', about: 'with a variable that it needs again' },
    { command: 'amux restore claude:0b2f61f6-3c1c-4c5e-a92e-b3b7c6d0e5aa', about: "one of the agent's own" },
  ],
  act: async (daemon, id, given) => {
    const { restoreAny } = await import('../../daemon/restore.ts');
    return restoreAny(daemon, id, {
      variables: listFlag(given, 'env'),
      agent: textFlag(given, 'agent'),
      cwd: textFlag(given, 'cwd'),
    });
  },
  tell: ({ id, agent }) => `${id}  ${agent}`,
  hint: (id) => `run "amux send ${id} ..." to continue it, "amux attach ${id}" to watch it`,
});
