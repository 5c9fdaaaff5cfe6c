import type { EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

/** An error in the words and with the status that Copilot CLI 1.0.102 gives it. */
export function readCopilotError(message: string, status: number | null, kind?: string): EventBody {
  if (
    status === 401 ||
    status === 403 ||
    kind === 'authentication' ||
    /authentication failed|No authentication information/i.test(message)
  ) {
    return { type: 'auth_error', message, guidance: 'Run `copilot login`, or set COPILOT_GITHUB_TOKEN.' };
  }
  if (status === 429 || kind === 'rate_limit' || LIMIT_WORDS.test(message))
    return { type: 'rate_limit_error', message, retrying: false };
  if (/too long|context.{0,20}(length|window|limit)|maximum context|prompt tokens/i.test(message))
    return { type: 'context_exceeded', message };
  const server = (status !== null && status >= 500) || /\b5\d\d\b/.test(message);
  const network = /connect|socket|network|terminated|fetch failed|transport/i.test(message);
  return failed(server ? 'SERVER_ERROR' : network ? 'NETWORK_ERROR' : 'AGENT_ERROR', message);
}

/**
 * Over ACP a failed turn looks like a good one: what went wrong, and what is tried again, comes as a message chunk of its
 * own that begins with one of these words.
 */
export function readCopilotProse(chunk: string): EventBody[] | null {
  const error = /^Error: ([\s\S]+)/.exec(chunk)?.[1];
  if (error !== undefined) {
    const status = /HTTP (\d{3})/.exec(error)?.[1];
    return [readCopilotError(error.trim(), status === undefined ? null : Number(status))];
  }
  const info = /^Info: ([\s\S]+)/.exec(chunk)?.[1];
  if (info === undefined) return null;
  if (LIMIT_WORDS.test(info)) return [{ type: 'rate_limit_error', message: info.trim(), retrying: true }];
  // What was streamed of the answer comes again.
  if (/Retrying/.test(info)) {
    return [
      { type: 'message_discard', reason: info.trim() },
      { type: 'retry', attempt: 1, reason: info.trim(), by: 'agent' },
    ];
  }
  return [{ type: 'debug', level: 'info', code: 'copilot_info', message: info.trim() }];
}
