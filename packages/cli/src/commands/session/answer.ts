import { type Command, JSON_FLAG } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';
import { firstWord } from './one.ts';

export const answer: Command = {
  usage: 'amux answer ID TEXT...',
  about:
    'Answers a question of an agent: with the number or the name of an option, or in words of your own where it takes them.\n' +
    'ID is a session with one open request, or the request itself (amux inbox).',
  flags: { json: { ...JSON_FLAG, help: 'Print the request, with what came of it.' } },
  examples: [
    { command: 'amux answer 3f2a 2', about: 'the second option' },
    { command: 'amux answer 3f2a 1,3', about: 'two of them, where several may be chosen' },
    { command: 'amux answer 3f2a blue "as wide as the page"', about: 'two questions: quotes hold an answer together' },
  ],
  notes: ['Where several are open they are listed, nothing is answered, and the exit code is 2.'],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    const id = firstWord(given, 'answer');
    const texts = given.words.slice(1);
    if (texts.length === 0)
      throw new UsageError('what is the answer?', `amux answer ${id} TEXT; amux inbox shows the question`);
    const { answerOne } = await import('../../requests/answering.ts');
    const { answering } = await import('../../requests/answers.ts');
    return answerOne(given, { verb: 'answer', id, answerTo: (request) => answering(request, texts) });
  },
};
