import { type Command, JSON_FLAG, textFlag } from '../../command.ts';
import { REMEMBER_FLAGS, readRemember } from '../../requests/remember.ts';
import { firstWord } from './one.ts';

export const deny: Command = {
  usage: 'amux deny ID [REASON...] [--remember WHERE]',
  about:
    'Refuses what an agent asks for; the agent is told the reason. A question is left unanswered. ID is a session with\n' +
    'one open request, or the request itself (amux inbox).',
  flags: {
    option: { type: 'string', value: 'ID', help: 'Another option that the agent offers, by its id.' },
    ...REMEMBER_FLAGS,
    json: { ...JSON_FLAG, help: 'Print the request, with what came of it.' },
  },
  examples: [
    { command: 'amux deny 3f2a', about: 'just no' },
    { command: 'amux deny 3f2a use tabs instead', about: 'no, and why' },
    { command: 'amux deny 3f2a --remember everywhere', about: 'never; amux policy lists it' },
  ],
  notes: ['Where several are open they are listed, nothing is answered, and the exit code is 2.'],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    const id = firstWord(given, 'deny');
    const { answerOne } = await import('../../requests/answering.ts');
    const { denying } = await import('../../requests/answers.ts');
    const reason = given.words.slice(1).join(' ');
    const option = textFlag(given, 'option');
    const remember = readRemember(given);
    return answerOne(given, {
      verb: 'deny',
      id,
      answerTo: (request) => denying(request, { reason, option, remember }),
    });
  },
};
