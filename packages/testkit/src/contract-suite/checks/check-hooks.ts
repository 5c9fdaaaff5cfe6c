import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { ERROR_CODES, type EventBody, failureOf, type RetryPolicy } from '@agent-mux/core';
import { assertRecord, describeValue } from '../assert-returned.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { callMember } from '../checked-decoder.ts';
import { assertEvents } from '../event-schema.ts';
import type { Subject } from '../subject.ts';

const EXITS: readonly [code: number | null, signal: string | null][] = [
  [0, null],
  [1, null],
  [137, null],
  [null, 'SIGKILL'],
  [null, 'SIGTERM'],
  [null, null],
];
const POLICY: RetryPolicy = {
  maxRetries: 2,
  initialDelayMs: 0,
  maxDelayMs: 0,
  multiplier: 1,
  retryOn: ERROR_CODES,
};
const FAILURES: readonly EventBody[] = [
  { type: 'rate_limit_error', message: 'slow down', retrying: false },
  { type: 'crash', exitCode: 1, signal: null, stderr: '', message: 'it crashed' },
  { type: 'timeout', kind: 'inactivity', limitMs: 1, message: 'silent' },
  { type: 'error', code: 'NETWORK_ERROR', message: 'no network', recoverable: true },
];
/** Failures that a retry cannot fix. */
const HOPELESS: readonly EventBody[] = [
  { type: 'auth_error', message: 'who are you?' },
  { type: 'error', code: 'AUTH_ERROR', message: 'who are you?', recoverable: false },
  { type: 'context_exceeded', message: 'too long' },
];

/** Engine callbacks for process events. */
export function hookChecks({ adapter }: Subject): ContractCheck[] {
  const retries = (event: EventBody, attempt: number, policy = POLICY): boolean => {
    const answer = callMember('shouldRetry', event, () =>
      adapter.shouldRetry ? adapter.shouldRetry(event, attempt, policy) : false,
    );
    strictEqual(typeof answer, 'boolean', `shouldRetry must return true or false, and gave ${describeValue(answer)}`);
    return answer;
  };
  return aboutTopic('its hooks', (show) => {
    show('give one event of the contract for a process that did not start, and for a silent one', () => {
      const events = [
        adapter.onSpawnError && callMember('onSpawnError', 'ENOENT', () => adapter.onSpawnError?.(enoent())),
        adapter.onTimeout && callMember('onTimeout', 'inactivity', () => adapter.onTimeout?.('inactivity')),
        adapter.onTimeout && callMember('onTimeout', 'run', () => adapter.onTimeout?.('run')),
      ];
      for (const [index, hook] of (['onSpawnError', 'onTimeout'] as const).entries()) {
        if (adapter[hook]) assertRecord(events[index], hook);
      }
      assertEvents(events.filter((event) => event !== undefined));
    });
    show('give a list of events of the contract for every exit, and no failure for success', () => {
      if (!adapter.onProcessExit) return;
      for (const [code, signal] of EXITS) {
        const what = `onProcessExit(${code}, ${signal})`;
        const events: unknown = callMember(what, undefined, () => adapter.onProcessExit?.(code, signal));
        ok(Array.isArray(events), `${what} must return a list of events, and gave ${describeValue(events)}`);
        assertEvents(events);
        const failures = events.filter(
          (event: EventBody) => failureOf(event)?.recoverable === false || event.type === 'crash',
        );
        if (code === 0) deepStrictEqual(failures, [], 'a process that left with 0 has not failed');
      }
    });
    show('request a retry by true or false, and never if none is left or the policy forbids it', () => {
      for (const failure of FAILURES) {
        retries(failure, 0);
        const { type } = failure;
        strictEqual(retries(failure, POLICY.maxRetries), false, `${type}: another try, and none is left`);
        strictEqual(retries(failure, POLICY.maxRetries + 5), false, `${type}: another try beyond the last`);
        strictEqual(retries(failure, 0, { ...POLICY, maxRetries: 0 }), false, `${type}: a try, and none is wanted`);
        strictEqual(retries(failure, 0, { ...POLICY, retryOn: [] }), false, `${type}: the policy does not name it`);
      }
    });
    show('never request a retry that would fail again', () => {
      for (const event of HOPELESS) strictEqual(retries(event, 0), false, `${describeValue(event)} comes again`);
    });
  });
}

function enoent(): Error {
  return Object.assign(new Error('spawn acme ENOENT'), { code: 'ENOENT' });
}
