import { commandOfActions } from '../../actions.ts';
import { type Command, JSON_FLAG } from '../../command.ts';

export const limits: Command = commandOfActions({
  name: 'limits',
  about:
    'Sessions that a limit of their agent or a budget of yours has stopped: who waits, until when, and who goes on by itself.\n' +
    'While an agent and its login are used up, nothing is sent to them; what is queued waits.',
  flags: { json: JSON_FLAG },
  otherwise: 'list',
  actions: {
    list: {
      usage: '',
      about: 'who waits and until when, and what is left of budgets',
      maxWords: 0,
      run: async (given) => (await import('../../limits/limits.ts')).listLimits(given),
    },
    cancel: {
      usage: 'ID',
      about: 'it does not go on by itself after this limit',
      minWords: 1,
      maxWords: 1,
      run: async (given) => (await import('../../limits/limits.ts')).cancelLimit(given),
    },
    now: {
      usage: 'ID',
      about: 'it goes on now, whatever is known of the limit',
      minWords: 1,
      maxWords: 1,
      run: async (given) => (await import('../../limits/limits.ts')).continueNow(given),
    },
    set: {
      usage: 'ID stop|wait',
      about: 'what it does when a limit stops it',
      minWords: 2,
      maxWords: 2,
      run: async (given) => (await import('../../limits/limits.ts')).setOnLimit(given),
    },
    raise: {
      usage: 'ID AMOUNT|none',
      about: 'what it may use in all: 10usd, 500ktokens; none: as the configuration says',
      minWords: 2,
      maxWords: 2,
      run: async (given) => (await import('../../limits/limits.ts')).raiseBudget(given),
    },
  },
  examples: [
    { command: 'amux limits', about: 'who waits, with a countdown' },
    { command: 'amux limits cancel 4f2c', about: 'do not go on by itself' },
    { command: 'amux limits now 4f2c', about: 'try at once' },
    { command: 'amux limits set 4f2c wait', about: 'go on by itself after limits, from now on' },
    { command: 'amux limits raise 4f2c 10usd', about: 'let it use ten dollars in all' },
    { command: `amux limits --json | jq -r '.sessions[] | [.id, .limit.continuesAt] | @tsv'`, about: 'for a program' },
  ],
});
