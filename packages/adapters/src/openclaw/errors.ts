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

const NO_GATEWAY = 'no OpenClaw gateway answers: start one with `openclaw gateway run`, then try again';

const RULES: readonly FailureRule[] = [
  {
    text: /ECONNREFUSED|gateway (?:is )?(?:not running|not reachable|unreachable)|gateway closed \(1006/i,
    event: ({ text }) => asError('NETWORK_ERROR')({ text: `${NO_GATEWAY} (${text})` }),
  },
  {
    text: /authentication failed|\b401\b|\b403\b|auth\/billing failure|unauthorized|no api key|missing.{0,20}token/i,
    event: asAuthError('Run `openclaw models auth login`, or set the key of the provider.'),
  },
  {
    text: LIMIT_PATTERNS,
    event: asRateLimit,
  },
  {
    text: /context.{0,20}(?:length|window|limit|overflow|exceed)|too long|too large|maximum context/i,
    event: asContextExceeded,
  },
  { text: /session.{0,60}not found|no session found|unknown session/i, event: asError('SESSION_NOT_FOUND') },
  { text: /\b5\d\d\b|overloaded|server error|unavailable/i, event: asError('SERVER_ERROR') },
  { text: /network|connection|socket|fetch failed|terminated|timed out/i, event: asError('NETWORK_ERROR') },
];

export function readOpenClawError(message: string): EventBody {
  return nameFailure({ text: message }, RULES);
}

/** A failed gateway call prints a multi-line JSON document; everything else on stderr is a log. */
export function readOpenClawStderr(line: string): EventBody[] | null {
  const message = /^\s+"message": "(.+)",?$/.exec(line)?.[1];
  return message === undefined ? null : [readOpenClawError(message)];
}

const RETRY = /transient same-model retry (\d+)\/(\d+) for \S+ reason=(\w+): delayMs=(\d+)/;

/** Log of retries in a run without a gateway, which take minutes. */
export function readOpenClawRetry(line: string): EventBody[] | null {
  const [, attempt, maxAttempts, reason = '', delayMs] = RETRY.exec(line) ?? [];
  if (attempt === undefined) return null;
  if (reason === 'rate_limit')
    return [
      { type: 'rate_limit_error', message: 'the rate limit is reached', retryAfterMs: Number(delayMs), retrying: true },
    ];
  return [
    {
      type: 'retry',
      attempt: Number(attempt),
      maxAttempts: Number(maxAttempts),
      delayMs: Number(delayMs),
      reason,
      by: 'agent',
    },
  ];
}
