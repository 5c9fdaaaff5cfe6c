import type { ErrorCode } from './errors.ts';
import type { EventBody } from './events.ts';
import type { RetryPolicy } from './options.ts';

export interface Failure {
  code: ErrorCode;
  message: string;
  /** The same may succeed when it is tried again. */
  recoverable: boolean;
}

/** Failures of the moment: the same request may succeed later. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['RATE_LIMITED', 'SERVER_ERROR', 'NETWORK_ERROR']);

export function isTransient(code: ErrorCode): boolean {
  return TRANSIENT.has(code);
}

/** A new attempt may succeed: failures of the moment, and an agent that crashed or hung. */
export function isRetryable(code: ErrorCode): boolean {
  return isTransient(code) || code === 'AGENT_CRASH' || code === 'INACTIVITY_TIMEOUT';
}

/** In the message of a crash: what follows is the end of stderr. */
export const BEFORE_STDERR = '; stderr: ';

/** Which failure an event stands for. Where it does not say itself whether it may pass, the kind of failure does. */
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

/** Whether a failure is tried again, unless the adapter knows better (`AgentAdapter.shouldRetry`). */
export function mayRetry(event: EventBody, attempt: number, policy: RetryPolicy): boolean {
  const failure = failureOf(event);
  return failure?.recoverable === true && attempt < policy.maxRetries && policy.retryOn.includes(failure.code);
}
