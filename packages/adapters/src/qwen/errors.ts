import type { ErrorCode, EventBody } from '@agent-mux/core';
import type { Failure, FailureRule } from '../claude-stream/index.ts';
import { failed } from '../shared/failed.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

export const LOGIN = 'Set OPENAI_API_KEY (and OPENAI_BASE_URL), or run `qwen` once and choose a provider with /auth.';

/** `[API Error: 401 Incorrect API key]`: all that a result of 0.24 says of a failed request. */
function said({ text }: Failure): string {
  return text.replace(/^\[API Error: (.*)\]$/s, '$1');
}

function failedWith(code: ErrorCode) {
  return (failure: Failure): EventBody => failed(code, said(failure));
}

const rateLimited = (message: string, retrying: boolean): EventBody => ({
  type: 'rate_limit_error',
  message,
  retrying,
});

/** A full context comes as a 400, so it is looked for first. */
export const FAILURES: readonly FailureRule[] = [
  {
    text: /too long|Context is too large|context (?:length|window)|context_length_exceeded|maximum context|input token count/i,
    event: (failure) => ({ type: 'context_exceeded', message: said(failure) }),
  },
  {
    text: /API Error: (?:401|403)\b|invalid.{0,9}api.?key|API key|No auth type|authentication/i,
    event: (failure) => ({ type: 'auth_error', message: said(failure), guidance: LOGIN }),
  },
  {
    text: LIMIT_WORDS,
    event: (failure) => rateLimited(said(failure), false),
  },
  { text: /API Error: 5\d\d\b|overloaded/i, event: failedWith('SERVER_ERROR') },
  {
    text: /terminated|Connection error|fetch failed|socket hang up|UND_ERR|ECONN|ENOTFOUND|ETIMEDOUT/i,
    event: failedWith('NETWORK_ERROR'),
  },
  { text: /./, event: failedWith('AGENT_ERROR') },
];

/** Lines of stderr that matter. The first four come instead of a result, the last two while it waits. */
const STDERR: readonly { text: RegExp; event(line: string): EventBody }[] = [
  {
    text: /No saved session found|Session .{0,60} not found|No conversation found|Invalid session/i,
    event: (message) => ({ type: 'error', code: 'SESSION_NOT_FOUND', message, recoverable: false }),
  },
  {
    text: /max(?:imum)? session turns/i,
    event: (message) => ({ type: 'error', code: 'MAX_TURNS', message, recoverable: false }),
  },
  {
    text: /No auth type is selected|Missing API key/i,
    event: (message) => ({ type: 'auth_error', message, guidance: LOGIN }),
  },
  {
    text: /^Unknown arguments?:|^Invalid (?:values|--)/,
    event: (message) => ({ type: 'error', code: 'AGENT_ERROR', message, recoverable: false }),
  },
  { text: /^Retrying in \d+s .*(?:429|rate.?limit)/i, event: (line) => rateLimited(line, true) },
  { text: /^\[qwen-code\] Waiting for API capacity/, event: (line) => rateLimited(line, true) },
];

export function decodeStderr(line: string): EventBody | null {
  return STDERR.find(({ text }) => text.test(line))?.event(line.trim()) ?? null;
}
