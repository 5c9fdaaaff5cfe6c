import type { EventBody } from '@agent-mux/core';
import {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type FailureRule,
  nameFailure,
} from '../shared/failures.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

const LOGIN = 'Run `droid` once to log in, set FACTORY_API_KEY, or check the key of the custom model.';

/** Seen with 0.215 unless the comment says that it is only in its schema; the first match wins. */
const RULES: readonly FailureRule[] = [
  {
    text: /maximum context length|context.{0,20}(?:length|window|limit)|prompt is too long|too many tokens(?!, please wait)/i,
    event: asContextExceeded,
  },
  {
    // The reason is from the schema.
    reason: ['model_usage_exhausted'],
    text: LIMIT_PATTERNS,
    event: asRateLimit,
  },
  {
    reason: ['model_authentication_failed'],
    text: /^40[13]\b|invalid api key|not logged in|Authentication failed|Please log in/i,
    event: asAuthError(LOGIN),
  },
  { text: /Session (?:file |transcript )?not found/i, event: asError('SESSION_NOT_FOUND') },
  {
    reason: ['structured_output_missing', 'structured_output_invalid', 'structured_output_schema_invalid'],
    event: asError('OUTPUT_SCHEMA_ERROR'),
  },
  { reason: ['model_provider_unavailable'], text: /^5\d\d\b|overloaded/i, event: asError('SERVER_ERROR') },
  {
    reason: ['model_provider_unreachable'],
    text: /socket|connection|ECONN|fetch failed|network|unable to connect/i,
    event: asError('NETWORK_ERROR'),
  },
];

/** The reason is that of a turn's end, which only JSON-RPC reports. */
export function readDroidFailure(text: string, reason?: string): EventBody {
  return nameFailure({ text, ...(reason === undefined ? {} : { reason }) }, RULES);
}

/** Why the CLI will not start: it then exits and prints nothing else. */
export function decodeStderr(line: string): EventBody | null {
  const said = /^(?:error|Error): (.+)/.exec(line.trim())?.[1];
  return said === undefined ? null : readDroidFailure(said);
}
