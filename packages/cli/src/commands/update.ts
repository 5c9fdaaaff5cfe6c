import type { Command } from '../command.ts';
import { carryOut } from '../install/carry-out.ts';
import { CHANGE_FLAGS, methodOf } from '../install/flags.ts';

export const update: Command = {
  usage: 'amux update AGENT [--method npm|brew|...] [--dry-run] [--json]',
  about: 'Brings an agent to its newest version, by the way that it was installed.',
  flags: CHANGE_FLAGS,
  examples: [
    { command: 'amux update claude', about: 'the newest version, and which one it was before' },
    { command: 'amux update gemini --dry-run', about: 'only show the command' },
  ],
  notes: ['How it was installed is told by where it lies. Where no command is known, what to do by hand is said.'],
  maxWords: 1,
  run: (given) =>
    carryOut('update', given, (client, agent, watch) => client.update(agent, { ...watch, ...methodOf(given) })),
};
