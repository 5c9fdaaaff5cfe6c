import type { EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

export const LOGIN = 'Name a model with its key in ~/.continue/config.yaml.';

/** The first rule that fits names the failure; a full context comes as a 400, so it is looked for first. */
const FAILURES: readonly { text: RegExp; event(message: string): EventBody }[] = [
  {
    text: /context.{0,20}(?:length|limit|window)|too long|reduce the length/i,
    event: (message) => ({ type: 'context_exceeded', message }),
  },
  {
    text: /^40[13]\b|api.?key|unauthorized|authenticat/i,
    event: (message) => ({ type: 'auth_error', message, guidance: LOGIN }),
  },
  {
    text: LIMIT_WORDS,
    event: (message) => ({ type: 'rate_limit_error', message, retrying: false }),
  },
  {
    text: /^5\d\d\b|overloaded|server.?error/i,
    event: (message) => failed('SERVER_ERROR', message),
  },
  {
    text: /ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|socket|premature|terminated|aborted|fetch failed|connection/i,
    event: (message) => failed('NETWORK_ERROR', message),
  },
];

export function continueFailure(message: string): EventBody {
  const rule = FAILURES.find(({ text }) => text.test(message));
  return rule?.event(message) ?? failed('AGENT_ERROR', message);
}
