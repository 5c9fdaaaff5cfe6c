import { type Command, isOn, JSON_FLAG } from '../command.ts';
import { INSTALL, SCRIPTS, SHELLS } from '../completions/scripts.ts';
import { print, printJson } from '../output.ts';
import { UsageError } from '../usage-error.ts';

export const completions: Command = {
  usage: 'amux completions bash|zsh|fish',
  about: 'Prints a script with which a shell completes commands, actions, flags, agents and profiles.',
  flags: { json: JSON_FLAG },
  examples: [
    { command: INSTALL.bash, about: 'bash' },
    { command: INSTALL.zsh, about: 'zsh' },
    { command: INSTALL.fish, about: 'fish' },
  ],
  notes: ['The script asks amux itself, so it knows the agents and profiles of the moment and need not be made anew.'],
  maxWords: 1,
  async run(given) {
    const [word] = given.words;
    const shell = SHELLS.find((each) => each === word);
    if (!shell) throw new UsageError(`for which shell? There are: ${SHELLS.join(', ')}`, `usage: ${completions.usage}`);
    if (isOn(given, 'json'))
      return printJson<'completions'>({ shell, install: INSTALL[shell], script: SCRIPTS[shell] });
    return print(SCRIPTS[shell].trimEnd());
  },
};
