import { type Command, hasFlag, JSON_FLAG } from '../../command.ts';

export const open: Command = {
  usage: 'amux open [--print]',
  description:
    'Opens the dashboard with a one-time login link, valid for five minutes. The browser stays signed\n' +
    'in for a month. Without a desktop, prints the link.',
  flags: {
    print: { type: 'boolean', help: 'Print the link instead of opening it' },
    json: { ...JSON_FLAG, help: 'Print the link as JSON; open nothing' },
  },
  examples: [
    { command: 'amux open', about: 'Open the dashboard in a browser' },
    { command: 'amux open --print', about: 'Print the link, for example to use it through ssh -L' },
  ],
  notes: ['The link signs in whichever browser opens it first. Do not share it.'],
  maxArgs: 0,
  async run(options) {
    const { openDashboard } = await import('../../daemon/open-dashboard.ts');
    return openDashboard({ json: hasFlag(options, 'json'), printOnly: hasFlag(options, 'print') });
  },
};
