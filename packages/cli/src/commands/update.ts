import type { Command } from '../command.ts';
import { CHANGE_FLAGS, methodOf } from '../install/flags.ts';
import { runInstall } from '../install/run-install.ts';

export const update: Command = {
  usage: 'amux update AGENT [--method npm|brew|...] [--dry-run] [--json]',
  description: 'Updates an agent to its latest version with the method it was installed with.',
  flags: CHANGE_FLAGS,
  examples: [
    { command: 'amux update claude', about: 'Update to the latest version' },
    { command: 'amux update gemini --dry-run', about: 'Only print the command' },
  ],
  notes: ['The method is detected from the install location. If no command is known, manual steps are', 'printed.'],
  maxArgs: 1,
  run: (options) =>
    runInstall('update', options, (client, agent, watch) => client.update(agent, { ...watch, ...methodOf(options) })),
};
