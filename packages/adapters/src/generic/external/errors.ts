import type { EventBody } from '@agent-mux/core';
import { type JsonObject, numberOf, oneOf, stringOf } from '../narrow.ts';
import { ERROR_WORDS } from './protocol.ts';

/** An `error` message as the event that names its kind. */
export function errorEvent(message: JsonObject, now: number): EventBody {
  const text = stringOf(message.message) ?? 'the adapter reported an error';
  const recoverable = message.recoverable === true;
  switch (oneOf(message.code, ERROR_WORDS) ?? 'other') {
    case 'auth':
      return { type: 'auth_error', message: text, guidance: stringOf(message.guidance) };
    case 'rate_limit': {
      const retryAfterMs = numberOf(message.retry_after_ms) ?? undefined;
      const resetsAt = retryAfterMs === undefined ? undefined : now + retryAfterMs;
      return { type: 'rate_limit_error', message: text, retryAfterMs, resetsAt, retrying: recoverable };
    }
    case 'context':
      return { type: 'context_exceeded', message: text };
    case 'server':
      return { type: 'error', code: 'SERVER_ERROR', message: text, recoverable };
    case 'session_not_found':
      return { type: 'error', code: 'SESSION_NOT_FOUND', message: text, recoverable };
    case 'other':
      return { type: 'error', code: 'AGENT_ERROR', message: text, recoverable };
  }
}
