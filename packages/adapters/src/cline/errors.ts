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

const RULES: readonly FailureRule[] = [
  {
    kind: ['auth'],
    text: /\b40[13]\b|unauthorized|api key|authentication|not signed in/i,
    event: asAuthError('Run `cline auth`.'),
  },
  {
    text: LIMIT_PATTERNS,
    event: asRateLimit,
  },
  {
    text: /context.{0,20}(?:length|window|limit)|too long|maximum context/i,
    event: asContextExceeded,
  },
  { text: /\b5\d\d\b|overloaded|server error/i, event: asError('SERVER_ERROR') },
  { text: /socket|connect|network|fetch failed|terminated/i, event: asError('NETWORK_ERROR') },
];

/** The CLI reports the provider's message and a class, which is `auth` or `unknown` in 3.0.65. */
export function readClineError(message: string, errorClass?: string): EventBody {
  return nameFailure({ text: message, ...(errorClass === undefined ? {} : { kind: errorClass }) }, RULES);
}
