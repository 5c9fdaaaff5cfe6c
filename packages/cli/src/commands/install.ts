import { type Command, isOn, textFlag } from '../command.ts';
import { carryOut } from '../install/carry-out.ts';
import { CHANGE_FLAGS, methodOf } from '../install/flags.ts';

export const install: Command = {
  usage: 'amux install AGENT [--version V] [--method npm|brew|...] [--force] [--dry-run] [--json]',
  about:
    'Puts an agent on this machine by one of the ways that its vendor offers, and looks afterwards whether it is there.\n' +
    'Nothing is ever run with the rights of another user.',
  flags: {
    version: { type: 'string', value: 'V', help: 'This version, where the way knows versions (npm, pip, winget).' },
    force: { type: 'boolean', help: 'Also when it is there already.' },
    ...CHANGE_FLAGS,
  },
  examples: [
    { command: 'amux install claude', about: 'the newest, by the first way whose program is here' },
    { command: 'amux install codex --version 0.166.0', about: 'the version that an adapter was proven with' },
    { command: 'amux install opencode --method brew --dry-run', about: 'only show the command' },
  ],
  notes: [
    'An agent that is there already is left as it is. The exit code is 4 when the command was installed into a folder that',
    'is not on PATH, and what helps is said.',
  ],
  maxWords: 1,
  run: (given) => {
    const version = textFlag(given, 'version');
    return carryOut('install', given, (client, agent, watch) =>
      client.install(agent, {
        ...watch,
        ...methodOf(given),
        ...(version === undefined ? {} : { version }),
        force: isOn(given, 'force'),
      }),
    );
  },
};
