import type { RetryPolicy } from '@agent-mux/core';
import { altered, type Sabotage } from './sabotage.ts';

const ONE = 'give one event of the contract for a process that did not start, and for one that is silent';
const EXIT = 'give a list of events of the contract for every exit, and no failure for success';
const RETRY = 'ask for another try by true or false, and never when none is left or the policy wants none';
const WRONG = [undefined, 'it failed', { type: 'failed' }, { type: 'crash' }] as const;
const CRASH = { type: 'crash', exitCode: 1, signal: null, stderr: '', message: 'it crashed' };

export const HOOKS: readonly Sabotage[] = [
  ...(['onSpawnError', 'onTimeout'] as const).flatMap((hook): Sabotage[] => [
    ...WRONG.map((given) => ({
      what: `${hook} gives ${JSON.stringify(given)}`,
      make: () => altered({ [hook]: () => given }),
      caughtBy: ONE,
    })),
    {
      what: `${hook} gives a list of events`,
      make: () => altered({ [hook]: () => [CRASH] }),
      caughtBy: ONE,
    },
    {
      what: `${hook} gives a promise`,
      make: () => altered({ [hook]: async () => CRASH }),
      caughtBy: ONE,
    },
    {
      what: `${hook} throws`,
      make: () =>
        altered({
          [hook]() {
            throw new Error('no');
          },
        }),
      caughtBy: ONE,
    },
  ]),
  ...WRONG.map((given) => ({
    what: `onProcessExit gives ${JSON.stringify(given)}`,
    make: () => altered({ onProcessExit: () => given }),
    caughtBy: EXIT,
  })),
  {
    what: 'onProcessExit gives one event and no list',
    make: () => altered({ onProcessExit: (code: number | null) => (code === 0 ? [] : CRASH) }),
    caughtBy: EXIT,
  },
  {
    what: 'onProcessExit takes a signal for success, and success for a crash',
    make: () => altered({ onProcessExit: (code: number | null) => (code === 0 ? [CRASH] : []) }),
    caughtBy: EXIT,
  },
  {
    what: 'onProcessExit fails without a code',
    make: () => altered({ onProcessExit: (code: number | null) => (code === null ? undefined : []) }),
    caughtBy: EXIT,
  },
  ...[{}, 'yes', 1, null].map((given) => ({
    what: `shouldRetry gives ${JSON.stringify(given)}`,
    make: () => altered({ shouldRetry: () => given }),
    caughtBy: RETRY,
    also: /^its hooks: never ask/,
  })),
  {
    what: 'another try for ever',
    make: () => altered({ shouldRetry: ({ type }: { type: string }) => type === 'rate_limit_error' }),
    caughtBy: RETRY,
  },
  {
    what: 'tries that the policy does not name',
    make: () =>
      altered({
        shouldRetry: ({ type }: { type: string }, attempt: number, { maxRetries }: RetryPolicy) =>
          type === 'crash' && attempt < maxRetries,
      }),
    caughtBy: RETRY,
  },
  {
    what: 'another try for a refused login',
    make: () =>
      altered({
        shouldRetry: ({ type }: { type: string }, attempt: number, { maxRetries, retryOn }: RetryPolicy) =>
          type === 'auth_error' && attempt < maxRetries && retryOn.length > 0,
      }),
    caughtBy: 'never ask for another try where it would fail again',
  },
  {
    what: 'a promise of another try',
    make: () => altered({ shouldRetry: async () => false }),
    caughtBy: RETRY,
    also: /^its hooks: never ask/,
  },
];
