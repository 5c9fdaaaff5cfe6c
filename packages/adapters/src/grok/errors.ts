import type { EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { number, parseRecord, word } from '../shared/json.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

export const LOGIN = 'Set XAI_API_KEY, or run `grok login`.';

interface GrokFailure {
  message: string;
  status: number | null;
}

/** The first rule that fits names the failure; a full context comes as a 400, so it is looked for first. */
const FAILURES: readonly { fits(failure: GrokFailure): boolean; event(message: string): EventBody }[] = [
  {
    fits: ({ message }) => /too long|context.{0,20}(?:length|window|limit|exceed)|maximum context/i.test(message),
    event: (message) => ({ type: 'context_exceeded', message }),
  },
  {
    fits: ({ message, status }) =>
      status === 401 || status === 403 || /Unauthorized|not (?:logged|signed) in|authenticat/i.test(message),
    event: (message) => ({ type: 'auth_error', message, guidance: LOGIN }),
  },
  {
    fits: ({ message, status }) => status === 429 || LIMIT_WORDS.test(message),
    event: (message) => ({ type: 'rate_limit_error', message, retrying: false }),
  },
  {
    fits: ({ message }) => /session .{0,60}(?:not found|does not exist)|no session/i.test(message),
    event: (message) => failed('SESSION_NOT_FOUND', message),
  },
  {
    fits: ({ message, status }) => (status !== null && status >= 500) || /overloaded/i.test(message),
    event: (message) => failed('SERVER_ERROR', message),
  },
  {
    fits: ({ message }) =>
      /connection|connect|network|stream (?:error|ended|closed)|error decoding|timed out/i.test(message),
    event: (message) => failed('NETWORK_ERROR', message),
  },
];

export function grokFailure(text: string): EventBody {
  const failure = readFailure(text);
  const rule = FAILURES.find(({ fits }) => fits(failure));
  if (rule) return rule.event(failure.message);
  return failed('AGENT_ERROR', failure.message);
}

/** `Internal error: "Unauthorized (401) from ..."`, or with `{"message": ..., "http_status": ...}` behind the colon. */
function readFailure(text: string): GrokFailure {
  const told = text.replace(/^(?:Error: )?(?:Internal error: )?/, '').trim();
  const inner = parseRecord(told);
  const message = word(inner?.message) ?? told.replace(/^"(.*)"$/s, '$1').replace(/\\n[\s\S]*$/, '');
  const status = number(inner?.http_status) ?? Number(/\((?:status )?(\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  return { message, status: Number.isNaN(status) ? null : status };
}

/** What it tries again, for minutes or for ever. */
export function retrying(reason: string, attempt: number, maxAttempts?: number): EventBody {
  if (LIMIT_WORDS.test(reason)) return { type: 'rate_limit_error', message: reason, retrying: true };
  return { type: 'retry', attempt, reason, by: 'agent', ...(maxAttempts === undefined ? {} : { maxAttempts }) };
}
