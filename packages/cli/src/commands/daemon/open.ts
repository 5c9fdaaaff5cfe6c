import { type Command, isOn, JSON_FLAG } from '../../command.ts';

export const open: Command = {
  usage: 'amux open [--print]',
  about:
    'Opens the dashboard in your browser, by a link that signs it in. The link works once and for five minutes; the browser\n' +
    'stays signed in for a month. Without a desktop the link is printed.',
  flags: {
    print: { type: 'boolean', help: 'Only print the link.' },
    json: { ...JSON_FLAG, help: 'Print the link as JSON, and open nothing.' },
  },
  examples: [
    { command: 'amux open', about: 'in the browser of this desktop' },
    { command: 'amux open --print', about: 'to open it yourself, say through ssh -L' },
  ],
  notes: ['Whoever opens the link first is signed in: keep it to yourself.'],
  maxWords: 0,
  async run(given) {
    const { openDashboard } = await import('../../daemon/open-dashboard.ts');
    return openDashboard({ json: isOn(given, 'json'), printOnly: isOn(given, 'print') });
  },
};
