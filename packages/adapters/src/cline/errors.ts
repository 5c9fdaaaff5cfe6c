import type { ErrorCode, EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

const RULES: readonly { pattern: RegExp; event(message: string): EventBody }[] = [
  {
    pattern: /\b40[13]\b|unauthorized|api key|authentication|not signed in/i,
    event: (message) => ({ type: 'auth_error', message, guidance: 'Run `cline auth`.' }),
  },
  {
    pattern: LIMIT_WORDS,
    event: (message) => ({ type: 'rate_limit_error', message, retrying: false }),
  },
  {
    pattern: /context.{0,20}(?:length|window|limit)|too long|maximum context/i,
    event: (message) => ({ type: 'context_exceeded', message }),
  },
  { pattern: /\b5\d\d\b|overloaded|server error/i, event: failure('SERVER_ERROR') },
  { pattern: /socket|connect|network|fetch failed|terminated/i, event: failure('NETWORK_ERROR') },
];

/** The CLI gives the provider's message and a class, which is `auth` or `unknown` in 3.0.65. */
export function readClineError(message: string, errorClass?: string): EventBody {
  if (errorClass === 'auth') return RULES[0]!.event(message);
  const rule = RULES.find(({ pattern }) => pattern.test(message));
  return (rule?.event ?? failure('AGENT_ERROR'))(message);
}

function failure(code: ErrorCode) {
  return (message: string): EventBody => failed(code, message);
}
