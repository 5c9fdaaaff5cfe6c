import type { EventBody } from '@agent-mux/core';
import type { FailureRule } from './dialect.ts';
import type { Failure } from './state.ts';

/** The event that says what went wrong, by the dialect's table. */
export function failureEvent(failure: Failure, rules: readonly FailureRule[], resetsAt: number | undefined): EventBody {
  const rule = rules.find((candidate) => fits(candidate, failure));
  if (rule) return rule.event(failure, resetsAt);
  return {
    type: 'error',
    code: 'AGENT_ERROR',
    message: failure.text || 'The agent reported a failure.',
    recoverable: false,
  };
}

function fits(rule: FailureRule, failure: Failure): boolean {
  return (
    (failure.status !== undefined && rule.status?.includes(failure.status) === true) ||
    (failure.kind !== undefined && rule.kind?.includes(failure.kind) === true) ||
    (failure.reason !== undefined && rule.reason?.includes(failure.reason) === true) ||
    rule.text?.test(failure.text) === true
  );
}
