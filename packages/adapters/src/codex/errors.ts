import type { ErrorCode, EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { isRecord, number, parseRecord, record, text, word } from '../shared/json.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

const LOGIN = 'Run `codex login` once, or set the key that the provider of config.toml names (OPENAI_API_KEY).';

/** What Codex says of a failure: `codexErrorInfo` only in the app-server, an HTTP status only where it knows one. */
export interface Failure {
  message: string;
  info: string | null;
  status: number | null;
}

interface Rule {
  info?: readonly string[];
  status?: readonly number[];
  text?: RegExp;
  event(message: string): EventBody;
}

const failedWith = (code: ErrorCode) => (message: string) => failed(code, message);

/** Seen with 0.166 unless the comment says that it is only in the schema; the first that fits counts. */
const RULES: readonly Rule[] = [
  {
    info: ['contextWindowExceeded'],
    text: /context_length_exceeded|exceeds the context window|ran out of room in the model's context/i,
    event: (message) => ({ type: 'context_exceeded', message }),
  },
  {
    // `usageLimitExceeded` and `rateLimitExceeded` are from the schema.
    info: ['usageLimitExceeded', 'rateLimitExceeded', 'sessionBudgetExceeded'],
    status: [429],
    text: LIMIT_WORDS,
    event: (message) => ({ type: 'rate_limit_error', message, retrying: false }),
  },
  {
    info: ['unauthorized'],
    status: [401, 403],
    text: /unexpected status 40[13]|Missing environment variable|not logged in/i,
    event: (message) => ({ type: 'auth_error', message, guidance: LOGIN }),
  },
  // "no rollout found for thread id ..."; the ids of forks are looked up in the same way.
  {
    text: /no rollout found|thread not found|invalid thread id|session not found/i,
    event: failedWith('SESSION_NOT_FOUND'),
  },
  {
    // Every 5xx is told as high demand, without its status.
    info: ['internalServerError', 'serverOverloaded'],
    status: [500, 502, 503, 504, 529],
    text: /experiencing high demand|unexpected status 5\d\d/i,
    event: failedWith('SERVER_ERROR'),
  },
  {
    text: /stream disconnected|Connection failed|error sending request|waiting for network|Transport error/i,
    event: failedWith('NETWORK_ERROR'),
  },
];

/** A failure that ends a turn. */
export function failureEvent(failure: Failure): EventBody {
  const rule = RULES.find(
    ({ info, status, text: pattern }) =>
      (failure.info !== null && info?.includes(failure.info)) ||
      (failure.status !== null && status?.includes(failure.status)) ||
      pattern?.test(failure.message),
  );
  const event = (rule?.event ?? failedWith('AGENT_ERROR'))(plainMessage(failure.message));
  return event.type === 'rate_limit_error' ? { ...event, ...limitTimes(failure.message) } : event;
}

/** `usage_limit_reached` comes as the body of the answer, with seconds from now or of the epoch; other limits say it in words. */
function limitTimes(message: string): { retryAfterMs?: number; resetsAt?: number } {
  const at = message.indexOf('{');
  const body = at === -1 ? null : parseRecord(message.slice(at, message.lastIndexOf('}') + 1));
  const error = record(body?.error);
  const resetsAt = number(error.resets_at);
  const seconds = number(error.resets_in_seconds);
  if (resetsAt !== undefined) return { resetsAt: resetsAt * 1000 };
  return seconds === undefined ? {} : { retryAfterMs: seconds * 1000 };
}

const ATTEMPT = /^Reconnecting\.\.\. (?:(\d+)\/(\d+))?/;

/**
 * Codex tries again by itself. Of a rate limit it says so at the first refusal and then waits as long as it is told to,
 * so the limit is told at once.
 */
export function retryEvent(failure: Failure, attemptSoFar: number): EventBody {
  if (isRateLimit(failure)) {
    return {
      type: 'rate_limit_error',
      message: reason(failure.message),
      ...limitTimes(failure.message),
      retrying: true,
    };
  }
  const counted = ATTEMPT.exec(failure.message);
  return {
    type: 'retry',
    attempt: counted?.[1] === undefined ? attemptSoFar + 1 : Number(counted[1]),
    ...(counted?.[2] === undefined ? {} : { maxAttempts: Number(counted[2]) }),
    reason: reason(failure.message),
    by: 'agent',
  };
}

export function isRetryMessage(message: string): boolean {
  return ATTEMPT.test(message);
}

/** With the feature `unbounded_connection_retries` Codex says this for ever; launch.ts turns it off. */
export function waitsForEver(failure: Failure): boolean {
  return failure.message.includes('waiting for network');
}

function isRateLimit(failure: Failure): boolean {
  return failureEvent(failure).type === 'rate_limit_error';
}

/** `Reconnecting... 1/5 (why)` */
function reason(message: string): string {
  return /^Reconnecting\.\.\.[^(]*\((.*)\)$/s.exec(message)?.[1] ?? message;
}

/** The `error` of a turn or of an `error` notification of the app-server. */
export function readTurnError(error: unknown): Failure {
  const { message, codexErrorInfo, additionalDetails } = record(error);
  const details = word(additionalDetails);
  const said = text(message) ?? 'the turn failed';
  const kind = isRecord(codexErrorInfo) ? Object.keys(codexErrorInfo)[0] : text(codexErrorInfo);
  const status = isRecord(codexErrorInfo) && kind ? number(record(codexErrorInfo[kind]).httpStatusCode) : undefined;
  return { message: details ? `${said} (${details})` : said, info: kind ?? null, status: status ?? null };
}

/** A 400 comes as the body of the answer. */
function plainMessage(message: string): string {
  const body = parseRecord(message);
  return (body && word(record(body.error).message)) ?? message;
}

/** Lines of stderr that say why the CLI will not start; it then exits and prints nothing else. */
const REFUSALS: readonly RegExp[] = [/^Error(?:: | loading )/, /^error: /];
/** Its own log: time, level, module. */
const LOG_LINE = /^\S*\d{4}-\d\d-\d\dT/;

export function decodeStderr(line: string): EventBody | null {
  if (LOG_LINE.test(line) || !REFUSALS.some((refusal) => refusal.test(line))) return null;
  return failureEvent({ message: line.trim(), info: null, status: null });
}
