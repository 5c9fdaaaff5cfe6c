import { type Command, hasFlag, JSON_FLAG } from '../../command.ts';

export const status: Command = {
  usage: 'amux status',
  description:
    'Shows whether the daemon is running, where it listens, and how many sessions it has. Does not start it.',
  flags: { json: JSON_FLAG },
  examples: [
    { command: 'amux status', about: 'Check the daemon' },
    { command: 'amux status --json | jq -r .url', about: 'Print its address' },
  ],
  notes: ['Exits 1 if the daemon is not running.'],
  maxArgs: 0,
  async run(options) {
    const { showStatus } = await import('../../daemon/status.ts');
    return showStatus({ json: hasFlag(options, 'json') });
  },
};
