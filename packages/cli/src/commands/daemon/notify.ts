import { commandOfActions } from '../../actions.ts';
import { type Command, JSON_FLAG } from '../../command.ts';

export const notify: Command = commandOfActions({
  name: 'notify',
  about:
    'What you are told outside of amux: on the desktop, by a webhook, by a command of yours. Who is told of what stands in\n' +
    'your own ~/.config/agent-mux/config.json, under daemon.notify; the daemon reads it when it starts.',
  flags: { json: JSON_FLAG },
  actions: {
    list: {
      usage: '',
      about: 'the targets, what was told to them, and what came of it',
      maxWords: 0,
      async run(given) {
        const { listNotifications } = await import('../../notify/notifications.ts');
        return listNotifications(given);
      },
    },
    test: {
      usage: '[TARGET]',
      about: 'tells one target, or each, something harmless; exits with 1 where that fails',
      maxWords: 1,
      async run(given) {
        const { testTargets } = await import('../../notify/notifications.ts');
        return testTargets(given);
      },
    },
  },
  otherwise: 'list',
  examples: [
    { command: 'amux notify', about: 'who is told, and what was told' },
    { command: 'amux notify test desktop', about: 'does it reach this screen?' },
    { command: 'amux notify test', about: 'each target that the configuration has' },
    {
      command: `amux notify list --json | jq '.notifications[] | select(.outcome == "failed")'`,
      about: 'for a program',
    },
  ],
  notes: ['docs/notifications.md has the rules, quiet hours, and how a webhook is checked.'],
});
