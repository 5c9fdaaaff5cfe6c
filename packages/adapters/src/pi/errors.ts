import type { ErrorCode, EventBody } from '@agent-mux/core';
import { providerFailures } from '../pi-family/index.ts';

export const LOGIN = 'Run `pi` and /login, or set the API key of your provider, such as ANTHROPIC_API_KEY.';

export const FAILURES = providerFailures(LOGIN);

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
