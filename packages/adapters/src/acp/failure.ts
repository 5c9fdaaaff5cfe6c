import type { EventBody } from '@agent-mux/core';
import type { RpcError } from '../jsonrpc/index.ts';
import {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type FailureRule,
  nameFailure,
} from '../shared/failures.ts';
import { isRecord, text } from '../shared/json.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

/** Code of agents that require a login first. */
const AUTH_REQUIRED = -32000;

const RULES: readonly FailureRule[] = [
  {
    status: [AUTH_REQUIRED, 401],
    text: /\b401\b|authentication|unauthorized|invalid api key/i,
    event: asAuthError(),
  },
  { status: [429], text: LIMIT_PATTERNS, event: asRateLimit },
  {
    text: /context.{0,20}(length|window|exceed)|prompt is too long|maximum context|too many tokens(?!, please wait)/i,
    event: asContextExceeded,
  },
  { status: [500], text: /\b5\d\d\b|overloaded|server.?error/i, event: asError('SERVER_ERROR') },
];

/** A JSON-RPC error as observed agents send it: most include the provider's own message. */
export function decodeFailure(error: RpcError): EventBody[] {
  const details = isRecord(error.data)
    ? (text(error.data.details) ?? text(error.data.message) ?? '')
    : (text(error.data) ?? '');
  const message = details !== '' && !error.message.includes(details) ? `${error.message}: ${details}` : error.message;
  return [nameFailure({ text: message, ...(error.code === null ? {} : { status: error.code }) }, RULES)];
}
