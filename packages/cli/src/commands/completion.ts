import { type Command, hasFlag, JSON_FLAG } from '../command.ts';
import { INSTALL, SCRIPTS, SHELLS } from '../completions/scripts.ts';
import { print, printJson } from '../output.ts';
import { UsageError } from '../usage-error.ts';

export const completion: Command = {
  usage: 'amux completion bash|zsh|fish',
  description: 'Prints a script that completes commands, flags, agents and profiles in bash, zsh or fish.',
  flags: { json: JSON_FLAG },
  examples: [
    { command: INSTALL.bash, about: 'Install for bash' },
    { command: INSTALL.zsh, about: 'Install for zsh' },
    { command: INSTALL.fish, about: 'Install for fish' },
  ],
  notes: [
    'The script calls amux, so it always knows the current agents and profiles and never needs to be',
    'regenerated.',
  ],
  maxArgs: 1,
  async run(options) {
    const [word] = options.positionals;
    const shell = SHELLS.find((each) => each === word);
    if (!shell) throw new UsageError(`missing shell: use ${SHELLS.join(', ')}`, `usage: ${completion.usage}`);
    if (hasFlag(options, 'json'))
      return printJson<'completion'>({ shell, install: INSTALL[shell], script: SCRIPTS[shell] });
    return print(SCRIPTS[shell].trimEnd());
  },
};
