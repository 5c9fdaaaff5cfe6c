import { type Command, isOn, JSON_FLAG, textFlag } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';

export const up: Command = {
  usage: 'amux up [--foreground] [--port N] [--demo] | --install | --uninstall',
  about:
    'Starts the daemon, which keeps sessions: they go on when this terminal is closed, and when the daemon itself ends. Every\n' +
    'command that needs it starts it by itself; this only says so, and where it listens.',
  flags: {
    foreground: { type: 'boolean', help: 'Stay here and show what happens; Ctrl-C ends it.' },
    port: {
      type: 'string',
      short: 'p',
      value: 'N',
      help: 'Where it listens on 127.0.0.1 (default: what the configuration says, else 7433); 0 is any free port.',
    },
    demo: {
      type: 'boolean',
      help: 'With a session of the demo agent at work, in a folder of its own. Needs --foreground.',
    },
    install: { type: 'boolean', help: 'Let systemd (Linux) or launchd (macOS) start it with your login.' },
    uninstall: { type: 'boolean', help: 'Take that back. Sessions stay.' },
    json: { ...JSON_FLAG, help: 'Print what amux status --json prints.' },
  },
  examples: [
    { command: 'amux up', about: 'in the background' },
    { command: 'amux up --foreground --port 4180', about: 'for a service manager' },
    { command: 'amux up --foreground --demo', about: 'see it at work' },
    { command: 'amux up --install', about: 'with every login; a restart of the service leaves agents at work' },
  ],
  notes: ['It listens on this machine alone. Its token is in a file that only you can read.'],
  maxWords: 0,
  async run(given) {
    const port = readPort(textFlag(given, 'port'));
    if (isOn(given, 'demo') && !isOn(given, 'foreground')) {
      throw new UsageError('--demo needs --foreground', 'amux up --foreground --demo');
    }
    if (isOn(given, 'install') || isOn(given, 'uninstall')) {
      const { changeService } = await import('../../daemon/service.ts');
      return changeService(isOn(given, 'install') ? 'install' : 'uninstall', isOn(given, 'json'));
    }
    if (isOn(given, 'foreground')) {
      const { stayUp } = await import('../../daemon/foreground.ts');
      return stayUp({ port, demo: isOn(given, 'demo'), json: isOn(given, 'json') });
    }
    const { goUp } = await import('../../daemon/up.ts');
    return goUp({ port, json: isOn(given, 'json') });
  },
};

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port: "${text}" is no port`, 'a number up to 65535; 0 is any free one');
}
