import { type Command, hasFlag, JSON_FLAG, stringFlag } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';

export const up: Command = {
  usage: 'amux up [--foreground] [--port N] [--demo] | --install-service | --uninstall-service',
  description: 'Starts the daemon and prints its address. Commands that need the daemon start it automatically.',
  flags: {
    foreground: { type: 'boolean', help: 'Run in the foreground; Ctrl-C stops it' },
    port: {
      type: 'string',
      short: 'p',
      value: 'N',
      help: 'Port on 127.0.0.1 (default: configured port, or 7433); 0 for any free port',
    },
    demo: {
      type: 'boolean',
      help: 'Start a demo session in a temporary folder (with --foreground)',
    },
    'install-service': { type: 'boolean', help: 'Start at login with systemd (Linux) or launchd (macOS)' },
    'uninstall-service': { type: 'boolean', help: 'Remove that service; sessions are kept' },
    json: { ...JSON_FLAG, help: 'Print the same JSON as "amux status --json"' },
  },
  examples: [
    { command: 'amux up', about: 'Start it in the background' },
    { command: 'amux up --foreground --port 4180', about: 'Run it under a service manager' },
    { command: 'amux up --foreground --demo', about: 'Try it with a demo session' },
    {
      command: 'amux up --install-service',
      about: 'Start it at every login; restarting the service does not stop sessions',
    },
  ],
  notes: ['The daemon listens on 127.0.0.1 only. Its token is in a file only you can read.'],
  maxArgs: 0,
  async run(options) {
    const port = readPort(stringFlag(options, 'port'));
    if (hasFlag(options, 'demo') && !hasFlag(options, 'foreground')) {
      throw new UsageError('--demo requires --foreground', 'run "amux up --foreground --demo"');
    }
    if (hasFlag(options, 'install-service') || hasFlag(options, 'uninstall-service')) {
      const { changeService } = await import('../../daemon/service.ts');
      return changeService(hasFlag(options, 'install-service') ? 'install' : 'uninstall', hasFlag(options, 'json'));
    }
    if (hasFlag(options, 'foreground')) {
      const { runForeground } = await import('../../daemon/foreground.ts');
      return runForeground({ port, demo: hasFlag(options, 'demo'), json: hasFlag(options, 'json') });
    }
    const { runUp } = await import('../../daemon/up.ts');
    return runUp({ port, json: hasFlag(options, 'json') });
  },
};

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port: invalid port "${text}"`, 'use a number up to 65535, or 0 for any free port');
}
