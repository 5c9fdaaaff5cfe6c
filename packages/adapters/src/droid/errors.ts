import type { ErrorCode, EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

const LOGIN = 'Run `droid` once to log in, set FACTORY_API_KEY, or check the key of the custom model.';

interface Rule {
  /** The reason of a turn's end, which only JSON-RPC gives. */
  reasons?: readonly string[];
  text?: RegExp;
  event(message: string): EventBody;
}

const failedWith = (code: ErrorCode) => (message: string) => failed(code, message);

/** Seen with 0.215 unless the comment says that it is only in its schema; the first that fits counts. */
const RULES: readonly Rule[] = [
  {
    text: /maximum context length|context.{0,20}(?:length|window|limit)|prompt is too long|too many tokens/i,
    event: (message) => ({ type: 'context_exceeded', message }),
  },
  {
    // The reason is from the schema.
    reasons: ['model_usage_exhausted'],
    text: LIMIT_WORDS,
    event: (message) => ({ type: 'rate_limit_error', message, retrying: false }),
  },
  {
    reasons: ['model_authentication_failed'],
    text: /^40[13]\b|invalid api key|not logged in|Authentication failed|Please log in/i,
    event: (message) => ({ type: 'auth_error', message, guidance: LOGIN }),
  },
  { text: /Session (?:file |transcript )?not found/i, event: failedWith('SESSION_NOT_FOUND') },
  {
    reasons: ['structured_output_missing', 'structured_output_invalid', 'structured_output_schema_invalid'],
    event: failedWith('OUTPUT_SCHEMA_ERROR'),
  },
  { reasons: ['model_provider_unavailable'], text: /^5\d\d\b|overloaded/i, event: failedWith('SERVER_ERROR') },
  {
    reasons: ['model_provider_unreachable'],
    text: /socket|connection|ECONN|fetch failed|network|unable to connect/i,
    event: failedWith('NETWORK_ERROR'),
  },
];

export function failureEvent(message: string, reason: string | null = null): EventBody {
  const rule = RULES.find(({ reasons, text }) => (reason !== null && reasons?.includes(reason)) || text?.test(message));
  return (rule?.event ?? failedWith('AGENT_ERROR'))(message);
}

/** Why the CLI will not start: it then exits and prints nothing else. */
export function decodeStderr(line: string): EventBody | null {
  const said = /^(?:error|Error): (.+)/.exec(line.trim())?.[1];
  return said === undefined ? null : failureEvent(said);
}
