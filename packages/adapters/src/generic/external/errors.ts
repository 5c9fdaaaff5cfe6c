import type { EventBody } from '@agent-mux/core';
import { amount, type Json, oneOf, text } from '../../shared/json.ts';
import { ERROR_KINDS } from './protocol.ts';

/** An `error` message as the event that names its kind. */
export function readError(message: Json, now: number): EventBody {
  const words = text(message.message) ?? 'the adapter reported an error';
  const recoverable = message.recoverable === true;
  switch (oneOf(message.code, ERROR_KINDS) ?? 'other') {
    case 'auth':
      return { type: 'auth_error', message: words, guidance: text(message.guidance) };
    case 'rate_limit': {
      const retryAfterMs = amount(message.retry_after_ms);
      const resetsAt = retryAfterMs === undefined ? undefined : now + retryAfterMs;
      return { type: 'rate_limit_error', message: words, retryAfterMs, resetsAt, retrying: recoverable };
    }
    case 'context':
      return { type: 'context_exceeded', message: words };
    case 'server':
      return { type: 'error', code: 'SERVER_ERROR', message: words, recoverable };
    case 'session_not_found':
      return { type: 'error', code: 'SESSION_NOT_FOUND', message: words, recoverable };
    case 'other':
      return { type: 'error', code: 'AGENT_ERROR', message: words, recoverable };
  }
}
