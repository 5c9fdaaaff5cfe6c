import type { Command } from '../command.ts';
import { CHANGE_FLAGS, methodOf } from '../install/flags.ts';
import { runInstall } from '../install/run-install.ts';

export const uninstall: Command = {
  usage: 'amux uninstall AGENT [--method npm|brew|...] [--dry-run] [--json]',
  description: 'Uninstalls an agent with the method it was installed with. Its settings and sessions are kept.',
  flags: CHANGE_FLAGS,
  examples: [
    { command: 'amux uninstall qwen --dry-run', about: 'Only print the command' },
    { command: 'amux uninstall qwen', about: 'Uninstall it, then check for other copies' },
  ],
  notes: ['The method is detected from the install location. If no command is known, manual steps are', 'printed.'],
  maxArgs: 1,
  run: (options) =>
    runInstall('uninstall', options, (client, agent, watch) =>
      client.uninstall(agent, { ...watch, ...methodOf(options) }),
    ),
};
