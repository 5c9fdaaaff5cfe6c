import type { EventBody } from '@agent-mux/core';
import {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type FailureRule,
  nameFailure,
  SERVER_STATUSES,
} from '../shared/failures.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

const RULES: readonly FailureRule[] = [
  {
    status: [401, 403],
    kind: ['authentication'],
    text: /authentication failed|No authentication information/i,
    event: asAuthError('Run `copilot login`, or set COPILOT_GITHUB_TOKEN.'),
  },
  { status: [429], kind: ['rate_limit'], text: LIMIT_PATTERNS, event: asRateLimit },
  {
    text: /too long|context.{0,20}(length|window|limit)|maximum context|prompt tokens/i,
    event: asContextExceeded,
  },
  { status: SERVER_STATUSES, text: /\b5\d\d\b/, event: asError('SERVER_ERROR') },
  { text: /connect|socket|network|terminated|fetch failed|transport/i, event: asError('NETWORK_ERROR') },
];

/** An error with the text and status of Copilot CLI 1.0.102. */
export function readCopilotError(text: string, status: number | null, kind?: string): EventBody {
  return nameFailure({ text, ...(status === null ? {} : { status }), ...(kind === undefined ? {} : { kind }) }, RULES);
}

/**
 * Over ACP a failed turn looks like a good one: failures and retries come as a separate message chunk that starts with
 * one of these words.
 */
export function readCopilotProse(chunk: string): EventBody[] | null {
  const error = /^Error: ([\s\S]+)/.exec(chunk)?.[1];
  if (error !== undefined) {
    const status = /HTTP (\d{3})/.exec(error)?.[1];
    return [readCopilotError(error.trim(), status === undefined ? null : Number(status))];
  }
  const info = /^Info: ([\s\S]+)/.exec(chunk)?.[1];
  if (info === undefined) return null;
  if (LIMIT_PATTERNS.test(info)) return [{ type: 'rate_limit_error', message: info.trim(), retrying: true }];
  // The streamed part of the answer is repeated.
  if (/Retrying/.test(info)) {
    return [
      { type: 'message_discard', reason: info.trim() },
      { type: 'retry', attempt: 1, reason: info.trim(), by: 'agent' },
    ];
  }
  return [{ type: 'debug', level: 'info', code: 'copilot_info', message: info.trim() }];
}
