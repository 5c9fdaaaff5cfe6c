import type { EventBody } from '@agent-mux/core';
import {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type Failure,
  type FailureRule,
  nameFailure,
  SERVER_STATUSES,
} from '../shared/failures.ts';
import { number, parseRecord, word } from '../shared/json.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

export const LOGIN = 'Set XAI_API_KEY, or run `grok login`.';

/** A full context comes as a 400, so it is checked first. */
const FAILURES: readonly FailureRule[] = [
  {
    text: /too long|context.{0,20}(?:length|window|limit|exceed)|maximum context/i,
    event: asContextExceeded,
  },
  {
    status: [401, 403],
    text: /Unauthorized|not (?:logged|signed) in|authenticat/i,
    event: asAuthError(LOGIN),
  },
  {
    status: [429],
    text: LIMIT_PATTERNS,
    event: asRateLimit,
  },
  {
    text: /session .{0,60}(?:not found|does not exist)|no session/i,
    event: asError('SESSION_NOT_FOUND'),
  },
  {
    status: SERVER_STATUSES,
    text: /overloaded/i,
    event: asError('SERVER_ERROR'),
  },
  {
    text: /connection|connect|network|stream (?:error|ended|closed)|error decoding|timed out/i,
    event: asError('NETWORK_ERROR'),
  },
];

export function readGrokFailure(text: string): EventBody {
  return nameFailure(readFailure(text), FAILURES);
}

/** `Internal error: "Unauthorized (401) from ..."`, or with `{"message": ..., "http_status": ...}` after the colon. */
function readFailure(text: string): Failure {
  const detail = text.replace(/^(?:Error: )?(?:Internal error: )?/, '').trim();
  const inner = parseRecord(detail);
  const message = word(inner?.message) ?? detail.replace(/^"(.*)"$/s, '$1').replace(/\\n[\s\S]*$/, '');
  const status = number(inner?.http_status) ?? Number(/\((?:status )?(\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  return { text: message, ...(Number.isNaN(status) ? {} : { status }) };
}

/** A retry, for minutes or forever. */
export function retryEvent(reason: string, attempt: number, maxAttempts?: number): EventBody {
  if (LIMIT_PATTERNS.test(reason)) return { type: 'rate_limit_error', message: reason, retrying: true };
  return { type: 'retry', attempt, reason, by: 'agent', ...(maxAttempts === undefined ? {} : { maxAttempts }) };
}
