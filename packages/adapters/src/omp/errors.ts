import type { EventBody } from '@agent-mux/core';
import { providerFailures } from '../pi-family/index.ts';
import { asAuthError, asError, type FailureRule, findFailure } from '../shared/failures.ts';

export const LOGIN = 'Run `omp` and /login, or set the API key of your provider, such as ANTHROPIC_API_KEY.';

export const FAILURES = providerFailures(LOGIN);

/** Lines of stderr that say why the CLI will not start; it then exits with 1. */
const REFUSALS: readonly FailureRule[] = [
  { text: /^(?:Error: )?Session ".*" not found/, event: refuse('SESSION_NOT_FOUND') },
  {
    text: /^(?:Error: )?No (?:models available|API key)/,
    event: asAuthError(LOGIN),
  },
  { text: /^Error: /, event: refuse('AGENT_ERROR') },
];

function refuse(code: 'SESSION_NOT_FOUND' | 'AGENT_ERROR'): FailureRule['event'] {
  return ({ text }) => asError(code)({ text: text.replace(/^Error: /, '').trim() });
}

export function decodeStderr(line: string): EventBody | null {
  return findFailure({ text: line.trim() }, REFUSALS);
}
