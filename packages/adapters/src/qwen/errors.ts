import type { EventBody } from '@agent-mux/core';
import {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type Failure,
  type FailureRule,
  findFailure,
} from '../shared/failures.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

export const LOGIN = 'Set OPENAI_API_KEY (and OPENAI_BASE_URL), or run `qwen` once and choose a provider with /auth.';

/** `[API Error: 401 Incorrect API key]`: the only text in a result of 0.24 about a failed request. */
function unwrapped(event: FailureRule['event']): FailureRule['event'] {
  return (failure) => event({ ...failure, shown: failure.text.replace(/^\[API Error: (.*)\]$/s, '$1') });
}

/** It waits, and retries automatically. */
const asWaiting = (failure: Failure): EventBody => ({ ...asRateLimit(failure), retrying: true });

/** A full context comes as a 400, so it is checked first. */
export const FAILURES: readonly FailureRule[] = [
  {
    text: /too long|Context is too large|context (?:length|window)|context_length_exceeded|maximum context|input token count/i,
    event: unwrapped(asContextExceeded),
  },
  {
    text: /API Error: (?:401|403)\b|invalid.{0,9}api.?key|API key|No auth type|authentication/i,
    event: unwrapped(asAuthError(LOGIN)),
  },
  { text: LIMIT_PATTERNS, event: unwrapped(asRateLimit) },
  { text: /API Error: 5\d\d\b|overloaded/i, event: unwrapped(asError('SERVER_ERROR')) },
  {
    text: /terminated|Connection error|fetch failed|socket hang up|UND_ERR|ECONN|ENOTFOUND|ETIMEDOUT/i,
    event: unwrapped(asError('NETWORK_ERROR')),
  },
  { text: /./, event: unwrapped(asError('AGENT_ERROR')) },
];

/** Relevant lines of stderr. The first four replace a result, the last two come while it waits. */
const STDERR: readonly FailureRule[] = [
  {
    text: /No saved session found|Session .{0,60} not found|No conversation found|Invalid session/i,
    event: asError('SESSION_NOT_FOUND'),
  },
  {
    text: /max(?:imum)? session turns/i,
    event: asError('MAX_TURNS'),
  },
  {
    text: /No auth type is selected|Missing API key/i,
    event: asAuthError(LOGIN),
  },
  {
    text: /^Unknown arguments?:|^Invalid (?:values|--)/,
    event: asError('AGENT_ERROR'),
  },
  { text: /^Retrying in \d+s .*(?:429|rate.?limit)/i, event: asWaiting },
  { text: /^\[qwen-code\] Waiting for API capacity/, event: asWaiting },
];

export function decodeStderr(line: string): EventBody | null {
  return findFailure({ text: line.trim() }, STDERR);
}
