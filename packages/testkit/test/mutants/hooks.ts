import type { RetryPolicy } from '@agent-mux/core';
import { altered, type Mutant } from './mutant.ts';

const ONE = 'give one event of the contract for a process that did not start, and for a silent one';
const EXIT = 'give a list of events of the contract for every exit, and no failure for success';
const RETRY = 'request a retry by true or false, and never if none is left or the policy forbids it';
const WRONG = [undefined, 'it failed', { type: 'failed' }, { type: 'crash' }] as const;
const CRASH = { type: 'crash', exitCode: 1, signal: null, stderr: '', message: 'it crashed' };

export const HOOKS: readonly Mutant[] = [
  ...(['onSpawnError', 'onTimeout'] as const).flatMap((hook): Mutant[] => [
    ...WRONG.map((options) => ({
      what: `${hook} gives ${JSON.stringify(options)}`,
      make: () => altered({ [hook]: () => options }),
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
  ...WRONG.map((options) => ({
    what: `onProcessExit gives ${JSON.stringify(options)}`,
    make: () => altered({ onProcessExit: () => options }),
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
  ...[{}, 'yes', 1, null].map((options) => ({
    what: `shouldRetry gives ${JSON.stringify(options)}`,
    make: () => altered({ shouldRetry: () => options }),
    caughtBy: RETRY,
    also: /^its hooks: never request/,
  })),
  {
    what: 'retries forever',
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
    caughtBy: 'never request a retry that would fail again',
  },
  {
    what: 'a promise of another try',
    make: () => altered({ shouldRetry: async () => false }),
    caughtBy: RETRY,
    also: /^its hooks: never request/,
  },
];
