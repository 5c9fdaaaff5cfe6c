import { type Command, JSON_FLAG } from '../../command.ts';
import { defineSubcommands } from '../../subcommands.ts';

export const limits: Command = defineSubcommands({
  name: 'limits',
  description:
    'Shows sessions paused by a usage limit or budget, when each continues, and what is left of\n' +
    'budgets. While an account is limited, its messages stay queued.',
  flags: { json: JSON_FLAG },
  fallback: 'list',
  actions: {
    list: {
      usage: '',
      about: 'List paused sessions and budgets',
      maxArgs: 0,
      run: async (options) => (await import('../../limits/limits.ts')).listLimits(options),
    },
    cancel: {
      usage: 'ID',
      about: 'Cancel the scheduled continuation',
      minArgs: 1,
      maxArgs: 1,
      run: async (options) => (await import('../../limits/limits.ts')).cancelLimit(options),
    },
    continue: {
      usage: 'ID',
      about: 'Continue now, ignoring the limit',
      minArgs: 1,
      maxArgs: 1,
      run: async (options) => (await import('../../limits/limits.ts')).continueNow(options),
    },
    set: {
      usage: 'ID pause|continue',
      about: 'Set what the session does at a limit',
      minArgs: 2,
      maxArgs: 2,
      run: async (options) => (await import('../../limits/limits.ts')).setOnLimit(options),
    },
    budget: {
      usage: 'ID AMOUNT|none',
      about: 'Set its budget, e.g. 10usd or 500ktokens; none for default',
      minArgs: 2,
      maxArgs: 2,
      run: async (options) => (await import('../../limits/limits.ts')).raiseBudget(options),
    },
  },
  examples: [
    { command: 'amux limits', about: 'List paused sessions with a countdown' },
    { command: 'amux limits cancel 4f2c', about: 'Do not continue automatically' },
    { command: 'amux limits continue 4f2c', about: 'Continue now' },
    { command: 'amux limits set 4f2c continue', about: 'Continue automatically after future limits' },
    { command: 'amux limits budget 4f2c 10usd', about: 'Set the budget of the session to 10 dollars' },
    {
      command: `amux limits --json | jq -r '.sessions[] | [.id, .limit.continuesAt] | @tsv'`,
      about: 'Print when each session continues',
    },
  ],
});
