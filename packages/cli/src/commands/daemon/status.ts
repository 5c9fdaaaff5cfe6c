import { type Command, isOn, JSON_FLAG } from '../../command.ts';

export const status: Command = {
  usage: 'amux status',
  about: 'Whether the daemon runs, where it listens, and how many sessions it keeps. Does not start it.',
  flags: { json: JSON_FLAG },
  examples: [
    { command: 'amux status', about: 'is it there?' },
    { command: 'amux status --json | jq -r .url', about: 'for a program' },
  ],
  notes: ['The exit code is 1 where it does not run.'],
  maxWords: 0,
  async run(given) {
    const { showStatus } = await import('../../daemon/status.ts');
    return showStatus({ json: isOn(given, 'json') });
  },
};
