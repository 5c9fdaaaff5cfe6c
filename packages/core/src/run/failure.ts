import type { ErrorCode } from '../contract/errors.ts';
import type { EventBody } from '../contract/events.ts';
import type { RetryPolicy } from '../contract/options.ts';
import type { ProcessExit } from './process.ts';

/** The code of an event that makes its turn fail. */
export function failureOf(body: EventBody): ErrorCode | undefined {
  switch (body.type) {
    case 'auth_error':
      return 'AUTH_ERROR';
    case 'context_exceeded':
      return 'CONTEXT_EXCEEDED';
    case 'rate_limit_error':
      return 'RATE_LIMITED';
    case 'error':
      return body.recoverable ? undefined : body.code;
    default:
      return undefined;
  }
}

export function describeExit(displayName: string, exit: ProcessExit): string {
  if (exit.spawnError) return `${displayName} could not be started: ${exit.spawnError.message}`;
  if (exit.signal) return `${displayName} was ended by ${exit.signal} before its turn was over`;
  return `${displayName} exited with code ${exit.code} before its turn was over`;
}

/** Exponential, bounded; never sooner than the other side asked for. */
export function retryDelay(policy: RetryPolicy, attempt: number, retryAfterMs = 0): number {
  const backoff = policy.initialDelayMs * policy.multiplier ** (attempt - 1);
  return Math.max(Math.min(backoff, policy.maxDelayMs), retryAfterMs);
}
