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

describe('what is said of a limit', () => {
  it('names the time at which it is lifted, and what --retries does about it', () => {
    expect(hint(limited({}, soon))).toMatch(/lifted in .+, at .+; --retries 3 waits for it$/);
    expect(hint(limited({}, late))).toMatch(
      /lifted in .+, at .+; try again then: --retries waits no longer than 10 min/,
    );
    expect(hint(limited({}, late), { maxDelayMs: 10_000_000 })).toMatch(/--retries 3 waits for it$/);
    expect(hint(limited())).toBe('nobody says when the limit is lifted; --retries 3 tries again, after 1, 2 and 4 s');
  });

  it('promises no retry where there were some, or where something was shown already', () => {
    for (const said of [hint(limited({}, soon), { maxRetries: 2 }), hint(limited({ text: 'half' }, soon))]) {
      expect(said).toMatch(/lifted in .+; try again then$/);
    }
    expect(hint(limited(), { maxRetries: 2 })).toBe('nobody says when the limit is lifted; try again later');
  });
});
