import type { EventBody } from '@agent-mux/core';
import { asAuthError, asCountedContext, asError, asRateLimit, type FailureRule } from '../shared/failures.ts';

const LOGIN = 'Set ANTHROPIC_API_KEY, or log in once with `claude auth login`.';

/** Seen with 2.1.325: `Prompt is too long · the request is ~250000 tokens (limit 200000) ...`. */
const TOKENS = /(?<!\d)(\d{1,15}) tokens \(limit (\d{1,15})\)/;

/** Patterns of each failure in a result of 2.1.325. `kind` uses the CLI's own names for a failed API call. */
export const FAILURES: readonly FailureRule[] = [
  { text: /^No conversation found with session ID/m, event: asError('SESSION_NOT_FOUND') },
  { reason: ['prompt_too_long'], text: /^Prompt is too long/m, event: asCountedContext(TOKENS) },
  {
    status: [401, 403],
    kind: [
      'authentication_failed',
      'oauth_org_not_allowed',
      'account_on_hold',
      'verification_required',
      'billing_error',
    ],
    event: asAuthError(LOGIN),
  },
  { status: [429], kind: ['rate_limit'], event: asRateLimit },
  { kind: ['error_max_structured_output_retries'], event: asError('OUTPUT_SCHEMA_ERROR') },
  { kind: ['server_error', 'overloaded'], status: [500, 502, 503, 504, 529], event: asError('SERVER_ERROR') },
  { text: /Connection error|Unable to connect|ECONN|ENOTFOUND|fetch failed/, event: asError('NETWORK_ERROR') },
];

/** Lines of stderr that say why the CLI will not start; it then exits with 1 and prints nothing else. */
const REFUSALS: readonly RegExp[] = [/cannot be used with root\/sudo privileges/, /^error: unknown option/, /^Error: /];

export function decodeStderr(line: string): EventBody | null {
  if (!REFUSALS.some((refusal) => refusal.test(line))) return null;
  return { type: 'error', code: 'AGENT_ERROR', message: line.trim(), recoverable: false };
}
