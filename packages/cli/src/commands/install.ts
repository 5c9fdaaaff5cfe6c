import { type Command, hasFlag, stringFlag } from '../command.ts';
import { CHANGE_FLAGS, methodOf } from '../install/flags.ts';
import { runInstall } from '../install/run-install.ts';

export const install: Command = {
  usage: 'amux install AGENT [--version V] [--method npm|brew|...] [--force] [--dry-run] [--json]',
  description:
    "Installs an agent with the first of its vendor's methods available here. Never elevates\n" + 'privileges.',
  flags: {
    version: { type: 'string', value: 'V', help: 'Version to install, if the method supports it (npm, pip, winget)' },
    force: { type: 'boolean', help: 'Install even if it is already installed' },
    ...CHANGE_FLAGS,
  },
  examples: [
    { command: 'amux install claude', about: 'Install the latest version' },
    { command: 'amux install codex --version 0.166.0', about: 'Install a verified version' },
    { command: 'amux install opencode --method brew --dry-run', about: 'Only print the command' },
  ],
  notes: [
    'An agent that is already installed is left unchanged. Exits 4, with a hint, if the command was',
    'installed to a folder that is not on PATH.',
  ],
  maxArgs: 1,
  run: (options) => {
    const version = stringFlag(options, 'version');
    return runInstall('install', options, (client, agent, watch) =>
      client.install(agent, {
        ...watch,
        ...methodOf(options),
        ...(version === undefined ? {} : { version }),
        force: hasFlag(options, 'force'),
      }),
    );
  },
};
