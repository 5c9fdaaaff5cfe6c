import { type Command, JSON_FLAG } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';
import { firstWord } from './one.ts';

export const answer: Command = {
  usage: 'amux answer ID TEXT...',
  description:
    'Answers a question by option number, option name, or free text where the agent accepts it. ID is\n' +
    'a session with one open request, or a request id (see "amux inbox").',
  flags: { json: { ...JSON_FLAG, help: 'Print the request with its outcome' } },
  examples: [
    { command: 'amux answer 3f2a 2', about: 'Choose the second option' },
    { command: 'amux answer 3f2a 1,3', about: 'Choose two options of a multiple-choice question' },
    {
      command: 'amux answer 3f2a blue "as wide as the page"',
      about: 'Answer two questions; quote answers with spaces',
    },
  ],
  notes: ['If several requests are open, they are listed, none is answered, and the exit code is 2.'],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    const id = firstWord(options, 'answer');
    const texts = options.positionals.slice(1);
    if (texts.length === 0)
      throw new UsageError('missing answer', `run "amux answer ${id} TEXT"; "amux inbox" shows the question`);
    const { answerRequest } = await import('../../requests/answer-request.ts');
    const { questionAnswer } = await import('../../requests/answers.ts');
    return answerRequest(options, { verb: 'answer', id, answerTo: (request) => questionAnswer(request, texts) });
  },
};
