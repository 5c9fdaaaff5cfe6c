import { asAuthError, asCountedContext, asError, asRateLimit, type FailureRule } from '../shared/failures.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

const TOKENS = /(?<!\d)(\d{1,15}) tokens > (\d{1,15})/;

/**
 * Pi and its relatives pass on the message of the provider's client library: usually `<status> <body>`, else text. A
 * full context comes as a 400, so it is checked first.
 */
export function providerFailures(guidance: string): readonly FailureRule[] {
  return [
    {
      text: /prompt is too long|context (?:length|window)|context_length_exceeded|maximum context|input token count/i,
      event: asCountedContext(TOKENS),
    },
    {
      status: [401, 403],
      text: /^No API key found|^Authentication failed|invalid.{0,9}api.?key/i,
      event: asAuthError(guidance),
    },
    {
      status: [429],
      text: LIMIT_PATTERNS,
      event: asRateLimit,
    },
    { status: [500, 502, 503, 504, 529], text: /overloaded/i, event: asError('SERVER_ERROR') },
    {
      text: /^terminated$|fetch failed|socket hang up|ECONN|ENOTFOUND|ETIMEDOUT|connection (?:error|lost|closed)|network/i,
      event: asError('NETWORK_ERROR'),
    },
  ];
}
