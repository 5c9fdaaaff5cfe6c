import { type EventBody, parseProseDuration } from '@agent-mux/core';
import { errorEvent } from '../shared/failures.ts';
import { isRecord, type Json, number, parseRecord, records, text, word } from '../shared/json.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

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

/**
 * `[API Error: {provider JSON}]`, the bare provider JSON, or prose. Not a table of rules: some patterns count only
 * without a status of the provider, and some only outside its JSON.
 */
export function readGeminiError(message: string, code: number | null): EventBody[] {
  const provider = providerError(message);
  const status = provider?.status ?? code;
  const words = provider?.message ?? message;
  if (status === 401 || status === 403 || /API key not valid|UNAUTHENTICATED|PERMISSION_DENIED/.test(message)) {
    return [{ type: 'auth_error', message: words }];
  }
  if (status === 429 || LIMIT_PATTERNS.test(message)) return [limit(words, provider, false)];
  if (/token count .{0,60}exceeds|input token|context window|too long/i.test(words))
    return [{ type: 'context_exceeded', message: words }];
  if (/Invalid auth method|auth/i.test(words) && status === null) return [{ type: 'auth_error', message: words }];
  // Over ACP anything without a status gets 500.
  const server = status !== null && status >= 500 && status < 600;
  const network = /fetch failed|ECONN|socket|terminated/i.test(words);
  return [errorEvent(network ? 'NETWORK_ERROR' : server ? 'SERVER_ERROR' : 'AGENT_ERROR', words)];
}

interface ProviderError {
  status: number | null;
  message: string;
  retryAfterMs?: number;
}

/** The engine parses the reset time from the text; `RetryInfo` has it separately. */
function limit(message: string, provider: ProviderError | null, retrying: boolean): EventBody {
  const { retryAfterMs } = provider ?? {};
  return { type: 'rate_limit_error', message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }), retrying };
}

/** A multi-line answer of the provider has its message in one of the next few lines. */
const LINES_TO_MESSAGE = 5;
/** Text of the CLI for a limit that it waits for or gives up on, anywhere in a line. */
const EXHAUSTED = /exhausted your|TerminalQuotaError|RetryableQuotaError|_CAPACITY_EXHAUSTED|QUOTA_EXHAUSTED/;

/** The CLI announces a retry on stderr; stdout is silent for minutes. */
export function readGeminiStderr(line: string, state: Json): EventBody[] | null {
  const due = number(state.limitLines) ?? 0;
  const attempt = /^Attempt (\d+) failed(?: with status (\d+))?(?:: )?/.exec(line);
  const said = /^[\s'+]{0,40}"message": ?"(.+?)",?[\s'+\\n]{0,9}$/.exec(line)?.[1];
  if (due > 0 && !attempt) {
    state.limitLines = said === undefined ? due - 1 : 0;
    if (said === undefined && due > 1) return [];
    return [limit(said ?? 'status 429', null, true)];
  }
  // Tool output is not a message of the CLI.
  if (/^Error executing tool /.test(line)) return null;
  if (!attempt) return EXHAUSTED.test(line) ? [limit(said ?? behindName(line), null, true)] : null;
  const limited = attempt[2] === '429' || LIMIT_PATTERNS.test(line);
  const provider = providerError(line);
  if (limited && !provider && /[[{]$/.test(line.trimEnd())) {
    state.limitLines = LINES_TO_MESSAGE;
    return [];
  }
  const words = attempt[0].endsWith(': ') ? line.slice(attempt[0].length) : undefined;
  const reason = provider?.message ?? words ?? (attempt[2] ? `status ${attempt[2]}` : 'the connection failed');
  if (limited) return [limit(reason, provider, true)];
  return [{ type: 'retry', attempt: Number(attempt[1]), maxAttempts: 10, reason, by: 'agent' }];
}

/** `TerminalQuotaError: You have ...` */
function behindName(line: string): string {
  return line.trim().replace(/^\w{1,60}Error: /, '');
}

function providerError(message: string): ProviderError | null {
  const at = message.indexOf('{');
  if (at === -1) return null;
  const parsed = parseRecord(message.slice(at, message.lastIndexOf('}') + 1));
  const error = Array.isArray(parsed?.error) ? parsed.error[0] : parsed?.error;
  if (!isRecord(error)) return null;
  const delay = records(error.details)
    .map(({ retryDelay }) => word(retryDelay))
    .find((text) => text !== undefined);
  const retryAfterMs = delay === undefined ? undefined : parseProseDuration(delay);
  return {
    status: number(error.code) ?? null,
    message: text(error.message) ?? message,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
