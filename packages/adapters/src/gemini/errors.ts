import type { EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { isRecord, parseRecord, text } from '../shared/json.ts';

/** Exit codes of the CLI that are not the status of the model (0.61.0). */
const EXIT_MEANINGS: Readonly<Record<number, EventBody>> = {
  41: {
    type: 'auth_error',
    message: 'Gemini CLI has no usable login',
    guidance: 'Run `gemini` once, or set GEMINI_API_KEY and security.auth.selectedType.',
  },
  42: {
    type: 'error',
    code: 'SESSION_NOT_FOUND',
    message: 'Gemini CLI refused the input or the session id',
    recoverable: false,
  },
  52: { type: 'error', code: 'CONFIG_ERROR', message: 'Gemini CLI refused its configuration', recoverable: false },
  55: {
    type: 'error',
    code: 'CONFIG_ERROR',
    message:
      'the folder is not trusted by Gemini CLI: trust it there, or set GEMINI_CLI_TRUST_WORKSPACE=true for this run',
    recoverable: false,
  },
};
export const EXIT_MAX_TURNS = 53;

export function exitMeaning(code: number | null): EventBody | undefined {
  const meaning = code === null ? undefined : EXIT_MEANINGS[code];
  return meaning && { ...meaning };
}

/** `[API Error: {provider JSON}]`, the bare provider JSON, or prose. */
export function readGeminiError(message: string, code: number | null): EventBody[] {
  const provider = providerError(message);
  const status = provider?.status ?? code;
  const words = provider?.message ?? message;
  if (status === 401 || status === 403 || /API key not valid|UNAUTHENTICATED|PERMISSION_DENIED/.test(message)) {
    return [{ type: 'auth_error', message: words }];
  }
  if (status === 429 || /RESOURCE_EXHAUSTED|quota/i.test(message))
    return [{ type: 'rate_limit_error', message: words, retrying: false }];
  if (/token count .{0,60}exceeds|input token|context window|too long/i.test(words))
    return [{ type: 'context_exceeded', message: words }];
  if (/Invalid auth method|auth/i.test(words) && status === null) return [{ type: 'auth_error', message: words }];
  // Over ACP whatever has no status of its own gets 500.
  const server = status !== null && status >= 500 && status < 600;
  const network = /fetch failed|ECONN|socket|terminated/i.test(words);
  return [failed(network ? 'NETWORK_ERROR' : server ? 'SERVER_ERROR' : 'AGENT_ERROR', words)];
}

/** The CLI says on stderr what it is about to retry; on stdout nothing comes for minutes. */
export function readRetryLine(line: string): EventBody | null {
  const attempt = /^Attempt (\d+) failed(?: with status (\d+))?/.exec(line);
  if (!attempt) return null;
  const exhausted = /has been exhausted|quota/i.test(line);
  const status = exhausted ? 429 : attempt[2] === undefined ? null : Number(attempt[2]);
  const reason = providerError(line)?.message ?? (status === null ? 'the connection failed' : `status ${status}`);
  if (status === 429) return { type: 'rate_limit_error', message: reason, retrying: true };
  return { type: 'retry', attempt: Number(attempt[1]), maxAttempts: 10, reason, by: 'agent' };
}

function providerError(message: string): { status: number | null; message: string } | null {
  const at = message.indexOf('{');
  if (at === -1) return null;
  const parsed = parseRecord(message.slice(at, message.lastIndexOf('}') + 1));
  const error = Array.isArray(parsed?.error) ? parsed.error[0] : parsed?.error;
  if (!isRecord(error)) return null;
  return { status: typeof error.code === 'number' ? error.code : null, message: text(error.message) ?? message };
}
