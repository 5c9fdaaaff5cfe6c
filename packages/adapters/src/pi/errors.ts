import type { EventBody } from '@agent-mux/core';
import { providerFailures } from '../pi-family/index.ts';
import { asAuthError, asError, type FailureRule, findFailure } from '../shared/failures.ts';

export const LOGIN = 'Run `pi` and /login, or set the API key of your provider, such as ANTHROPIC_API_KEY.';

export const FAILURES = providerFailures(LOGIN);

/** Lines of stderr that say why the CLI will not start; it then exits with 1. */
const REFUSALS: readonly FailureRule[] = [
  { text: /^No session found matching/, event: asError('SESSION_NOT_FOUND') },
  {
    text: /^No models available/,
    event: asAuthError(LOGIN),
  },
  { text: /^Error: /, event: ({ text }) => asError('AGENT_ERROR')({ text: text.slice('Error: '.length).trim() }) },
];

export function decodeStderr(line: string): EventBody | null {
  return findFailure({ text: line.trim() }, REFUSALS);
}
