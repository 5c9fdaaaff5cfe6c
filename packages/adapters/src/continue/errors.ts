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

export const LOGIN = 'Name a model with its key in ~/.continue/config.yaml.';

/** The first matching rule wins; a full context comes as a 400, so it is checked first. */
const FAILURES: readonly FailureRule[] = [
  {
    text: /context.{0,20}(?:length|limit|window)|too long|reduce the length/i,
    event: asContextExceeded,
  },
  {
    text: /^40[13]\b|api.?key|unauthorized|authenticat/i,
    event: asAuthError(LOGIN),
  },
  {
    text: LIMIT_PATTERNS,
    event: asRateLimit,
  },
  {
    text: /^5\d\d\b|overloaded|server.?error/i,
    event: asError('SERVER_ERROR'),
  },
  {
    text: /ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|socket|premature|terminated|aborted|fetch failed|connection/i,
    event: asError('NETWORK_ERROR'),
  },
];

export function readContinueFailure(message: string): EventBody {
  return nameFailure({ text: message }, FAILURES);
}
