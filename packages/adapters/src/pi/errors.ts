import type { ErrorCode, EventBody } from '@agent-mux/core';
import type { Failure, FailureRule } from '../pi-family/index.ts';

export const LOGIN = 'Run `pi` and /login, or set the API key of your provider, such as ANTHROPIC_API_KEY.';

const TOKENS = /(\d+) tokens > (\d+)/;

function contextExceeded({ text }: Failure): EventBody {
  const counts = TOKENS.exec(text);
  const numbers = counts ? { usedTokens: Number(counts[1]), maxTokens: Number(counts[2]) } : {};
  return { type: 'context_exceeded', message: text, ...numbers };
}

function failed(code: ErrorCode, recoverable: boolean) {
  return ({ text }: Failure): EventBody => ({ type: 'error', code, message: text, recoverable });
}

const auth = ({ text }: Failure): EventBody => ({ type: 'auth_error', message: text, guidance: LOGIN });

/**
 * pi 0.87 passes on what the provider's client library says: mostly `<status> <body>`, else words. A full context comes as
 * a 400, so it is looked for first.
 */
export const FAILURES: readonly FailureRule[] = [
  {
    text: /prompt is too long|context (?:length|window)|context_length_exceeded|maximum context|input token count/i,
    event: contextExceeded,
  },
  { status: [401, 403], text: /^No API key found|^Authentication failed|invalid.{0,9}api.?key/i, event: auth },
  {
    status: [429],
    text: /rate.?limit|too many requests|RESOURCE_EXHAUSTED|usage limit/i,
    event: ({ text }) => ({ type: 'rate_limit_error', message: text, retrying: false }),
  },
  { status: [500, 502, 503, 504, 529], text: /overloaded/i, event: failed('SERVER_ERROR', true) },
  {
    text: /^terminated$|fetch failed|socket hang up|ECONN|ENOTFOUND|ETIMEDOUT|connection (?:error|lost|closed)|network/i,
    event: failed('NETWORK_ERROR', true),
  },
];

/** Lines of stderr that say why the CLI will not start; it then exits with 1. */
const REFUSALS: readonly { text: RegExp; event(line: string): EventBody }[] = [
  { text: /^No session found matching/, event: (line) => refused('SESSION_NOT_FOUND', line) },
  {
    text: /^No models available/,
    event: (message) => ({ type: 'auth_error', message, guidance: LOGIN }),
  },
  { text: /^Error: /, event: (line) => refused('AGENT_ERROR', line.slice('Error: '.length)) },
];

function refused(code: ErrorCode, message: string): EventBody {
  return { type: 'error', code, message: message.trim(), recoverable: false };
}

export function decodeStderr(line: string): EventBody | null {
  return REFUSALS.find(({ text }) => text.test(line))?.event(line) ?? null;
}
