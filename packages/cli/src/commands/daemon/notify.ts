import { type Command, JSON_FLAG } from '../../command.ts';
import { defineSubcommands } from '../../subcommands.ts';

export const notify: Command = defineSubcommands({
  name: 'notify',
  description:
    'Lists and tests notification targets and recent deliveries. Configure them under daemon.notify\n' +
    'in ~/.config/agent-mux/config.json.',
  flags: { json: JSON_FLAG },
  actions: {
    list: {
      usage: '',
      about: 'List targets and recent deliveries',
      maxArgs: 0,
      async run(options) {
        const { listNotifications } = await import('../../notify/notifications.ts');
        return listNotifications(options);
      },
    },
    test: {
      usage: '[TARGET]',
      about: 'Send a test notification; exits 1 if delivery fails',
      maxArgs: 1,
      async run(options) {
        const { testTargets } = await import('../../notify/notifications.ts');
        return testTargets(options);
      },
    },
  },
  fallback: 'list',
  examples: [
    { command: 'amux notify', about: 'List targets and recent deliveries' },
    { command: 'amux notify test desktop', about: 'Test one target' },
    { command: 'amux notify test', about: 'Test every configured target' },
    {
      command: `amux notify list --json | jq '.notifications[] | select(.outcome == "failed")'`,
      about: 'List failed deliveries',
    },
  ],
  notes: ['See docs/notifications.md for rules, quiet hours and webhook signatures.'],
});
