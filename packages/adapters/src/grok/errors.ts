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
import { LIMIT_WORDS } from '../shared/limit-words.ts';

export const LOGIN = 'Set XAI_API_KEY, or run `grok login`.';

/** A full context comes as a 400, so it is looked for first. */
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
    text: LIMIT_WORDS,
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

/** `Internal error: "Unauthorized (401) from ..."`, or with `{"message": ..., "http_status": ...}` behind the colon. */
function readFailure(text: string): Failure {
  const told = text.replace(/^(?:Error: )?(?:Internal error: )?/, '').trim();
  const inner = parseRecord(told);
  const message = word(inner?.message) ?? told.replace(/^"(.*)"$/s, '$1').replace(/\\n[\s\S]*$/, '');
  const status = number(inner?.http_status) ?? Number(/\((?:status )?(\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  return { text: message, ...(Number.isNaN(status) ? {} : { status }) };
}

/** What it tries again, for minutes or for ever. */
export function tellRetry(reason: string, attempt: number, maxAttempts?: number): EventBody {
  if (LIMIT_WORDS.test(reason)) return { type: 'rate_limit_error', message: reason, retrying: true };
  return { type: 'retry', attempt, reason, by: 'agent', ...(maxAttempts === undefined ? {} : { maxAttempts }) };
}
