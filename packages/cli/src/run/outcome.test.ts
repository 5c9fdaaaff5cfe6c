import type { AgentAdapter, RunResult } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { failureOfRun } from './outcome.ts';

const adapter = { displayName: 'Acme' } as AgentAdapter;
const limited = (over: object = {}, resetsAt?: number) =>
  ({
    agent: 'acme',
    text: '',
    exitReason: 'rate_limited',
    error: { code: 'RATE_LIMITED', message: 'slow down', ...(resetsAt === undefined ? {} : { resetsAt }) },
    ...over,
  }) as RunResult;
const hint = (result: RunResult, policy = {}) => failureOfRun(result, adapter, policy)?.hint;
const soon = Date.now() + 60_000;
const late = Date.now() + 7_200_000;

describe('rate limit hint', () => {
  it('names the reset time and what --retries does', () => {
    expect(hint(limited({}, soon))).toMatch(/resets in .+, at .+; use --retries 3 to wait for it$/);
    expect(hint(limited({}, late))).toMatch(/resets in .+, at .+; try again then: --retries waits at most 10 min/);
    expect(hint(limited({}, late), { maxDelayMs: 10_000_000 })).toMatch(/use --retries 3 to wait for it$/);
    expect(hint(limited())).toBe('the reset time is unknown; use --retries 3 to retry after 1, 2 and 4 s');
  });

  it('suggests no retry after retries or partial output', () => {
    for (const text of [hint(limited({}, soon), { maxRetries: 2 }), hint(limited({ text: 'half' }, soon))]) {
      expect(text).toMatch(/resets in .+; try again then$/);
    }
    expect(hint(limited(), { maxRetries: 2 })).toBe('the reset time is unknown; try again later');
  });
});
