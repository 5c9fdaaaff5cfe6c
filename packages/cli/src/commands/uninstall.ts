import type { Command } from '../command.ts';
import { carryOut } from '../install/carry-out.ts';
import { CHANGE_FLAGS, methodOf } from '../install/flags.ts';

export const uninstall: Command = {
  usage: 'amux uninstall AGENT [--method npm|brew|...] [--dry-run] [--json]',
  about: 'Takes an agent off this machine, by the way that it was installed. Its settings and sessions stay.',
  flags: CHANGE_FLAGS,
  examples: [
    { command: 'amux uninstall qwen --dry-run', about: 'only show the command' },
    { command: 'amux uninstall qwen', about: 'and look afterwards whether another copy is left' },
  ],
  notes: ['How it was installed is told by where it lies. Where no command is known, what to do by hand is said.'],
  maxWords: 1,
  run: (given) =>
    carryOut('uninstall', given, (client, agent, watch) => client.uninstall(agent, { ...watch, ...methodOf(given) })),
};
