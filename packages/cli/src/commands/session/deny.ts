import { type Command, JSON_FLAG, stringFlag } from '../../command.ts';
import { REMEMBER_FLAGS, readRemember } from '../../requests/remember.ts';
import { firstWord } from './one.ts';

export const deny: Command = {
  usage: 'amux deny ID [REASON...] [--remember SCOPE]',
  description:
    'Denies a request and gives the agent the reason. Declines a question. ID is a session with one\n' +
    'open request, or a request id (see "amux inbox").',
  flags: {
    option: { type: 'string', value: 'ID', help: 'Choose another option the agent offers' },
    ...REMEMBER_FLAGS,
    json: { ...JSON_FLAG, help: 'Print the request with its outcome' },
  },
  examples: [
    { command: 'amux deny 3f2a', about: 'Deny a request' },
    { command: 'amux deny 3f2a use tabs instead', about: 'Deny it with a reason' },
    { command: 'amux deny 3f2a --remember global', about: 'Always deny it (see "amux policy")' },
  ],
  notes: ['If several requests are open, they are listed, none is answered, and the exit code is 2.'],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    const id = firstWord(options, 'deny');
    const { answerRequest } = await import('../../requests/answer-request.ts');
    const { denyAnswer } = await import('../../requests/answers.ts');
    const reason = options.positionals.slice(1).join(' ');
    const option = stringFlag(options, 'option');
    const remember = readRemember(options);
    return answerRequest(options, {
      verb: 'deny',
      id,
      answerTo: (request) => denyAnswer(request, { reason, option, remember }),
    });
  },
};
