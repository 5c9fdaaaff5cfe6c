import type { ErrorCode } from './errors.ts';
import type { EventBody } from './events.ts';
import type { RetryPolicy } from './options.ts';

export interface Failure {
  code: ErrorCode;
  message: string;
  /** A retry may succeed. */
  recoverable: boolean;
}

/** Transient failures: the same request may succeed later. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['RATE_LIMITED', 'SERVER_ERROR', 'NETWORK_ERROR']);

export function isTransient(code: ErrorCode): boolean {
  return TRANSIENT.has(code);
}

/** A new attempt may succeed: transient failures, and an agent that crashed or hung. */
export function isRetryable(code: ErrorCode): boolean {
  return isTransient(code) || code === 'AGENT_CRASH' || code === 'INACTIVITY_TIMEOUT';
}

/** In a crash message: separates the message from the tail of stderr. */
export const BEFORE_STDERR = '; stderr: ';

/** The failure that an event represents. If the event does not say whether it is recoverable, its code decides. */
export function failureOf(event: EventBody): Failure | undefined {
  switch (event.type) {
    case 'error':
      return { code: event.code, message: event.message, recoverable: event.recoverable };
    case 'crash':
      return { code: 'AGENT_CRASH', message: event.message, recoverable: true };
    case 'rate_limit_error':
      return { code: 'RATE_LIMITED', message: event.message, recoverable: true };
    case 'timeout':
      return {
        code: event.kind === 'run' ? 'TIMEOUT' : 'INACTIVITY_TIMEOUT',
        message: event.message,
        recoverable: event.kind !== 'run',
      };
    case 'auth_error':
      return { code: 'AUTH_ERROR', message: event.message, recoverable: false };
    case 'context_exceeded':
      return { code: 'CONTEXT_EXCEEDED', message: event.message, recoverable: false };
    default:
      return undefined;
  }
}

/** Whether to retry a failure, unless the adapter decides (`AgentAdapter.shouldRetry`). */
export function mayRetry(event: EventBody, attempt: number, policy: RetryPolicy): boolean {
  const failure = failureOf(event);
  return failure?.recoverable === true && attempt < policy.maxRetries && policy.retryOn.includes(failure.code);
}
