import type { EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { isRecord, text } from '../shared/json.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

/** Answered by agents that want a login first. */
const AUTH_REQUIRED = -32000;

/** A JSON-RPC error in the words of the agents that were seen: most put the provider's own message into it. */
export function decodeFailure(error: { code: number | null; message: string; data: unknown }): EventBody[] {
  const details = isRecord(error.data)
    ? (text(error.data.details) ?? text(error.data.message) ?? '')
    : (text(error.data) ?? '');
  const message = details !== '' && !error.message.includes(details) ? `${error.message}: ${details}` : error.message;
  if (
    error.code === AUTH_REQUIRED ||
    error.code === 401 ||
    /\b401\b|authentication|unauthorized|invalid api key/i.test(message)
  ) {
    return [{ type: 'auth_error', message }];
  }
  if (error.code === 429 || LIMIT_WORDS.test(message)) {
    return [{ type: 'rate_limit_error', message, retrying: false }];
  }
  if (/context.{0,20}(length|window|exceed)|prompt is too long|maximum context|too many tokens/i.test(message)) {
    return [{ type: 'context_exceeded', message }];
  }
  const server = error.code === 500 || /\b5\d\d\b|overloaded|server.?error/i.test(message);
  return [failed(server ? 'SERVER_ERROR' : 'AGENT_ERROR', message)];
}
