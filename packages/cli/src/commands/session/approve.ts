import { type Command, isOn, JSON_FLAG, textFlag } from '../../command.ts';
import { REMEMBER_FLAGS, readRemember } from '../../requests/remember.ts';
import { UsageError } from '../../usage-error.ts';
import { firstWord } from './one.ts';

export const approve: Command = {
  usage: 'amux approve ID [REQUEST] [--always] [--remember WHERE]',
  about: 'Allows what an agent asks for. ID is a session with one open request, or the request itself (amux inbox).',
  flags: {
    always: { type: 'boolean', help: 'From now on too, where the agent offers it; amux inbox says for what.' },
    option: { type: 'string', value: 'ID', help: 'Another option that the agent offers, by its id.' },
    ...REMEMBER_FLAGS,
    json: { ...JSON_FLAG, help: 'Print the request, with what came of it.' },
  },
  examples: [
    { command: 'amux approve 3f2a', about: 'the one request of this session' },
    { command: 'amux approve 3f2a 91bc', about: 'one of several' },
    { command: 'amux approve 3f2a --always', about: 'and do not ask for the like again' },
    {
      command: 'amux approve 3f2a --remember project',
      about: 'exactly this again in this folder; amux policy lists it',
    },
    { command: "amux approve 3f2a --remember session --pattern 'npm *'", about: 'whatever looks like this' },
  ],
  notes: ['Where several are open they are listed, nothing is answered, and the exit code is 2.'],
  maxWords: 2,
  async run(given) {
    const id = firstWord(given, 'approve');
    const option = textFlag(given, 'option');
    if (option !== undefined && isOn(given, 'always')) {
      throw new UsageError('--always contradicts --option', 'give one of them');
    }
    const remember = readRemember(given);
    if (remember && isOn(given, 'always')) {
      throw new UsageError('--always contradicts --remember', 'the one is the agent’s memory, the other that of amux');
    }
    const { answerOne } = await import('../../requests/answering.ts');
    const { allowing } = await import('../../requests/answers.ts');
    return answerOne(given, {
      verb: 'approve',
      id,
      within: given.words[1],
      answerTo: (request) => allowing(request, { option, always: isOn(given, 'always'), remember }),
    });
  },
};
