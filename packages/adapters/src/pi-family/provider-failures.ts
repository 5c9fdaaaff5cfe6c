import type { ErrorCode, EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';
import type { Failure, FailureRule } from './dialect.ts';

const TOKENS = /(?<!\d)(\d{1,15}) tokens > (\d{1,15})/;

function contextExceeded({ text }: Failure): EventBody {
  const counts = TOKENS.exec(text);
  const numbers = counts ? { usedTokens: Number(counts[1]), maxTokens: Number(counts[2]) } : {};
  return { type: 'context_exceeded', message: text, ...numbers };
}

function rateLimited({ text, retryAfterMs }: Failure): EventBody {
  return {
    type: 'rate_limit_error',
    message: text,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    retrying: false,
  };
}

function failedWith(code: ErrorCode) {
  return ({ text }: Failure): EventBody => failed(code, text);
}

/**
 * Pi and its relatives pass on what the provider's client library says: mostly `<status> <body>`, else words. A full
 * context comes as a 400, so it is looked for first.
 */
export function providerFailures(guidance: string): readonly FailureRule[] {
  return [
    {
      text: /prompt is too long|context (?:length|window)|context_length_exceeded|maximum context|input token count/i,
      event: contextExceeded,
    },
    {
      status: [401, 403],
      text: /^No API key found|^Authentication failed|invalid.{0,9}api.?key/i,
      event: ({ text }) => ({ type: 'auth_error', message: text, guidance }),
    },
    {
      status: [429],
      text: LIMIT_WORDS,
      event: rateLimited,
    },
    { status: [500, 502, 503, 504, 529], text: /overloaded/i, event: failedWith('SERVER_ERROR') },
    {
      text: /^terminated$|fetch failed|socket hang up|ECONN|ENOTFOUND|ETIMEDOUT|connection (?:error|lost|closed)|network/i,
      event: failedWith('NETWORK_ERROR'),
    },
  ];
}
