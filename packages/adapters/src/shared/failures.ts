import { type ErrorCode, type EventBody, isTransient } from '@agent-mux/core';

/** A failure as an agent reports it: its text, and further details. */
export interface Failure {
  text: string;
  /** The part to show, if the text holds more. */
  shown?: string;
  /** Status of the model's answer, or a protocol code in its place. */
  status?: number;
  /** The agent's name for it, e.g. `authentication_failed`. */
  kind?: string;
  /** Why the turn has ended, if that is reported apart from the kind. */
  reason?: string;
  retryAfterMs?: number;
  resetsAt?: number;
}

/** A row of a failure table: the first row with a matching criterion classifies the failure. */
export interface FailureRule {
  /** Applies only to failures of these kinds; without a further criterion it matches all of them. */
  of?: readonly string[];
  status?: readonly number[];
  kind?: readonly string[];
  reason?: readonly string[];
  text?: RegExp;
  event(failure: Failure): EventBody;
}

/** Every status of a server error. */
export const SERVER_STATUSES: readonly number[] = Array.from({ length: 100 }, (_, index) => 500 + index);

/** The event for a failure, by a table; a generic one if no row matches. */
export function nameFailure(failure: Failure, rules: readonly FailureRule[]): EventBody {
  return findFailure(failure, rules) ?? errorEvent('AGENT_ERROR', shown(failure) || 'The agent reported a failure.');
}

/** Null if no row matches: a line of stderr need not be a failure. */
export function findFailure(failure: Failure, rules: readonly FailureRule[]): EventBody | null {
  return rules.find((rule) => fits(rule, failure))?.event(failure) ?? null;
}

function shown(failure: Failure): string {
  return failure.shown ?? failure.text;
}

function fits({ of, status, kind, reason, text }: FailureRule, failure: Failure): boolean {
  if (of && (failure.kind === undefined || !of.includes(failure.kind))) return false;
  if (of && !status && !kind && !reason && !text) return true;
  return (
    (failure.status !== undefined && status?.includes(failure.status) === true) ||
    (failure.kind !== undefined && kind?.includes(failure.kind) === true) ||
    (failure.reason !== undefined && reason?.includes(failure.reason) === true) ||
    text?.test(failure.text) === true
  );
}

/** A failure of the agent. Its kind determines whether a retry may succeed. */
export function errorEvent(code: ErrorCode, message: string): EventBody {
  return { type: 'error', code, message, recoverable: isTransient(code) };
}

/** For a row: an error of this code. */
export function asError(code: ErrorCode): FailureRule['event'] {
  return (failure) => errorEvent(code, shown(failure));
}

/** For a row: a missing or refused login, with instructions. */
export function asAuthError(guidance?: string): FailureRule['event'] {
  return (failure) => ({
    type: 'auth_error',
    message: shown(failure),
    ...(guidance === undefined ? {} : { guidance }),
  });
}

/** For a row: a limit that the agent has given up on. */
export function asRateLimit(failure: Failure): Extract<EventBody, { type: 'rate_limit_error' }> {
  const { retryAfterMs, resetsAt } = failure;
  return {
    type: 'rate_limit_error',
    message: shown(failure),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(resetsAt === undefined ? {} : { resetsAt }),
    retrying: false,
  };
}

/** For a row: a full context. */
export function asContextExceeded(failure: Failure): Extract<EventBody, { type: 'context_exceeded' }> {
  return { type: 'context_exceeded', message: shown(failure) };
}

/** The same if the text has both numbers: used, then available. */
export function asCountedContext(counts: RegExp): FailureRule['event'] {
  return (failure) => {
    const [, used, max] = counts.exec(failure.text) ?? [];
    const numbers = used === undefined ? {} : { usedTokens: Number(used), maxTokens: Number(max) };
    return { ...asContextExceeded(failure), ...numbers };
  };
}
