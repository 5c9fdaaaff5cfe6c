import type { EventBody } from '@agent-mux/core';
import {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type Failure,
  type FailureRule,
  nameFailure,
} from '../shared/failures.ts';
import { isRecord, number, parseRecord, record, text, word } from '../shared/json.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

const LOGIN = 'Run `codex login` once, or set the key that the provider of config.toml names (OPENAI_API_KEY).';

/** Seen with 0.166 unless the comment says that it is only in the schema; the first match wins. */
const RULES: readonly FailureRule[] = [
  {
    kind: ['contextWindowExceeded'],
    text: /context_length_exceeded|exceeds the context window|ran out of room in the model's context/i,
    event: asContextExceeded,
  },
  {
    // `usageLimitExceeded` and `rateLimitExceeded` are from the schema.
    kind: ['usageLimitExceeded', 'rateLimitExceeded', 'sessionBudgetExceeded'],
    status: [429],
    text: LIMIT_PATTERNS,
    event: asRateLimit,
  },
  {
    kind: ['unauthorized'],
    status: [401, 403],
    text: /unexpected status 40[13]|Missing environment variable|not logged in/i,
    event: asAuthError(LOGIN),
  },
  // "no rollout found for thread id ..."; the ids of forks are looked up in the same way.
  {
    text: /no rollout found|thread not found|invalid thread id|session not found/i,
    event: asError('SESSION_NOT_FOUND'),
  },
  {
    // Every 5xx is reported as high demand, without its status.
    kind: ['internalServerError', 'serverOverloaded'],
    status: [500, 502, 503, 504, 529],
    text: /experiencing high demand|unexpected status 5\d\d/i,
    event: asError('SERVER_ERROR'),
  },
  {
    text: /stream disconnected|Connection failed|error sending request|waiting for network|Transport error/i,
    event: asError('NETWORK_ERROR'),
  },
];

/**
 * A failure that ends a turn. `kind` is `codexErrorInfo`, which only the app-server has; the status is set if it knows
 * one.
 */
export function readCodexFailure(failure: Failure): EventBody {
  return nameFailure({ ...failure, shown: plainMessage(failure.text), ...limitTimes(failure.text) }, RULES);
}

/**
 * `usage_limit_reached` comes as the body of the answer, with seconds from now or of the epoch; other limits are in the
 * text.
 */
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
 * Codex retries automatically. For a rate limit it says so at the first refusal and then waits as long as requested, so
 * the limit is reported at once.
 */
export function retryEvent(failure: Failure, attemptSoFar: number): EventBody {
  if (isRateLimit(failure)) {
    return {
      type: 'rate_limit_error',
      message: reason(failure.text),
      ...limitTimes(failure.text),
      retrying: true,
    };
  }
  const counted = ATTEMPT.exec(failure.text);
  return {
    type: 'retry',
    attempt: counted?.[1] === undefined ? attemptSoFar + 1 : Number(counted[1]),
    ...(counted?.[2] === undefined ? {} : { maxAttempts: Number(counted[2]) }),
    reason: reason(failure.text),
    by: 'agent',
  };
}

export function isRetryMessage(message: string): boolean {
  return ATTEMPT.test(message);
}

/** With the feature `unbounded_connection_retries` Codex repeats this forever; launch.ts turns it off. */
export function retriesForever(failure: Failure): boolean {
  return failure.text.includes('waiting for network');
}

function isRateLimit(failure: Failure): boolean {
  return readCodexFailure(failure).type === 'rate_limit_error';
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
  return {
    text: details ? `${said} (${details})` : said,
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
  };
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
  return readCodexFailure({ text: line.trim() });
}
