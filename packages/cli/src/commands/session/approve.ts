import { type Command, hasFlag, JSON_FLAG, stringFlag } from '../../command.ts';
import { REMEMBER_FLAGS, readRemember } from '../../requests/remember.ts';
import { UsageError } from '../../usage-error.ts';
import { firstWord } from './one.ts';

export const approve: Command = {
  usage: 'amux approve ID [REQUEST] [--always] [--remember SCOPE]',
  description: 'Approves a request. ID is a session with one open request, or a request id (see "amux inbox").',
  flags: {
    always: { type: 'boolean', help: 'Always allow, if the agent offers it (see "amux inbox")' },
    option: { type: 'string', value: 'ID', help: 'Choose another option the agent offers' },
    ...REMEMBER_FLAGS,
    json: { ...JSON_FLAG, help: 'Print the request with its outcome' },
  },
  examples: [
    { command: 'amux approve 3f2a', about: 'Approve the only open request of a session' },
    { command: 'amux approve 3f2a 91bc', about: 'Approve one of several requests' },
    { command: 'amux approve 3f2a --always', about: 'Approve it and similar requests from now on' },
    {
      command: 'amux approve 3f2a --remember project',
      about: 'Remember this answer for this folder (see "amux policy")',
    },
    {
      command: "amux approve 3f2a --remember session --pattern 'npm *'",
      about: 'Remember it for all matching commands',
    },
  ],
  notes: ['If several requests are open, they are listed, none is answered, and the exit code is 2.'],
  maxArgs: 2,
  async run(options) {
    const id = firstWord(options, 'approve');
    const option = stringFlag(options, 'option');
    if (option !== undefined && hasFlag(options, 'always')) {
      throw new UsageError('--always and --option are mutually exclusive');
    }
    const remember = readRemember(options);
    if (remember && hasFlag(options, 'always')) {
      throw new UsageError(
        '--always and --remember are mutually exclusive',
        '--always is stored by the agent, --remember by amux',
      );
    }
    const { answerRequest } = await import('../../requests/answer-request.ts');
    const { allowAnswer } = await import('../../requests/answers.ts');
    return answerRequest(options, {
      verb: 'approve',
      id,
      within: options.positionals[1],
      answerTo: (request) => allowAnswer(request, { option, always: hasFlag(options, 'always'), remember }),
    });
  },
};
