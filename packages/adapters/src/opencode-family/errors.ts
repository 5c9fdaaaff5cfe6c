import { type EventBody, findResetTime, parseRetryAfter } from '@agent-mux/core';
import {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type FailureRule,
  nameFailure,
  SERVER_STATUSES,
} from '../shared/failures.ts';
import { isRecord, type Json, number, record, text, word } from '../shared/json.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';
import { textAfter } from '../shared/text-after.ts';

export interface FamilyFailure {
  name: string;
  message: string;
  status?: number;
  /** Status of the provider's answer. */
  headers?: Json;
}

/** `{name, data}`; kilo's `run` also prints a plain string. */
export function readFailure(error: unknown): FamilyFailure {
  if (!isRecord(error)) return { name: 'UnknownError', message: text(error) ?? 'unknown error' };
  const data = record(error.data);
  const status = number(data.statusCode);
  return {
    name: word(error.name) ?? 'UnknownError',
    // The message of an unexpected error is followed by a stack trace.
    message: firstLine(word(data.message) ?? word(error.message) ?? word(error.name) ?? 'unknown error'),
    ...(status === undefined ? {} : { status }),
    ...(isRecord(data.responseHeaders) ? { headers: data.responseHeaders } : {}),
  };
}

const LOGIN = 'Check the key of the provider: `auth login`, its environment variable, or `provider.*.options.apiKey`.';

/** By name and status. */
const RULES: readonly FailureRule[] = [
  {
    of: ['ContextOverflowError'],
    event: (failure) => ({ ...asContextExceeded(failure), ...tokenCounts(failure.text) }),
  },
  { of: ['StructuredOutputError'], event: asError('OUTPUT_SCHEMA_ERROR') },
  { of: ['NotFoundError'], text: /session/i, event: asError('SESSION_NOT_FOUND') },
  { of: ['ProviderAuthError'], event: asAuthError(LOGIN) },
  { of: ['APIError'], status: [401, 403], event: asAuthError(LOGIN) },
  { of: ['APIError'], status: [429], event: asRateLimit },
  { of: ['APIError', 'UnknownError'], text: LIMIT_PATTERNS, event: asRateLimit },
  { of: ['APIError'], status: SERVER_STATUSES, event: asError('SERVER_ERROR') },
  {
    of: ['APIError', 'UnknownError'],
    text: /Cannot connect to API|Unable to connect|connection (?:reset|closed|refused)|socket connection|ECONN|ENOTFOUND|fetch failed/i,
    event: asError('NETWORK_ERROR'),
  },
];

export function familyFailureEvents({ name, message, status, headers = {} }: FamilyFailure, now: number): EventBody {
  const retryAfterMs = retryAfter(headers, now);
  const when = retryAfterMs === undefined ? {} : { retryAfterMs, resetsAt: now + retryAfterMs };
  return nameFailure({ text: message, kind: name, ...(status === undefined ? {} : { status }), ...when }, RULES);
}

/** `session.status` of type retry: it has no status code, only the provider's message and the time of the next try. */
export function retryEvent(status: Json, now: number): EventBody {
  const message = word(status.message) ?? 'the model does not answer';
  const next = number(status.next);
  const delayMs = next === undefined ? undefined : Math.max(0, next - now);
  if (LIMIT_PATTERNS.test(message)) {
    const when = next === undefined ? {} : { retryAfterMs: delayMs, resetsAt: next };
    return { type: 'rate_limit_error', message, ...when, retrying: true };
  }
  const attempt = number(status.attempt) ?? 1;
  return { type: 'retry', attempt, ...(delayMs === undefined ? {} : { delayMs }), reason: message, by: 'agent' };
}

/** One failed request, as in the stderr log of `run`. Requests for a title are `small=true`. */
function streamErrorIn(line: string): { session?: string; error?: string } {
  const rest = textAfter('message="stream error"', line);
  const session = / session\.id=(\w+) small=false /.exec(rest);
  if (!session) return {};
  const error = /error\.error="((?:[^"\\]+|\\.)*)/.exec(rest.slice(session.index + session[0].length))?.[1];
  return error === undefined ? {} : { session: session[1], error };
}

export interface StderrState {
  streamErrors: number;
  /** The last refusal as plain text. */
  refusal?: string;
}

/** A limit that was reported only on stderr. stdout reports failures with more details. */
export function refusalEvents({ refusal }: StderrState, now: number): EventBody[] {
  return refusal !== undefined && LIMIT_PATTERNS.test(refusal) ? [limitIn(refusal, now, { retrying: false })] : [];
}

function limitIn(message: string, now: number, { retrying }: { retrying: boolean }): EventBody {
  const resetsAt = findResetTime(message, now);
  const when = resetsAt === undefined ? {} : { retryAfterMs: Math.max(0, resetsAt - now), resetsAt };
  return { type: 'rate_limit_error', message, ...when, retrying };
}

/** The session of a log line, which comes before any stdout; a subagent has its own. */
export function sessionInLog(line: string): string | undefined {
  return / mode=primary /.test(line) ? streamErrorIn(line).session : undefined;
}

/** stderr of `run`: colored refusals, and its log. */
export function decodeStderr(line: string, state: StderrState, now: number): EventBody | null {
  const plain = line.replace(/\u001b\[[0-9;]*m/g, '').trim();
  if (/^Error: Session not found/.test(plain)) {
    return { type: 'error', code: 'SESSION_NOT_FOUND', message: plain.slice('Error: '.length), recoverable: false };
  }
  if (plain.startsWith('Error: ')) state.refusal = plain.slice('Error: '.length);
  const failure = streamErrorIn(plain).error;
  if (failure === undefined) return null;
  const message = failure.replace(/^AI_\w+: /, '');
  if (LIMIT_PATTERNS.test(message)) return limitIn(message, now, { retrying: true });
  // The first failure may be the last; the next one shows that it was retried.
  state.streamErrors += 1;
  return state.streamErrors === 1
    ? null
    : { type: 'retry', attempt: state.streamErrors - 1, reason: message, by: 'agent' };
}

function retryAfter(headers: Json, now: number): number | undefined {
  const milliseconds = Number(word(headers['retry-after-ms']) ?? Number.NaN);
  if (milliseconds >= 0 && Number.isFinite(milliseconds)) return milliseconds;
  return parseRetryAfter(word(headers['retry-after']) ?? '', now);
}

/** The providers' texts differ; those with both numbers are parsed. */
function tokenCounts(message: string): { usedTokens?: number; maxTokens?: number } {
  const anthropic = /(?<!\d)(\d{1,15}) tokens > (\d{1,15})/.exec(message);
  if (anthropic) return { usedTokens: Number(anthropic[1]), maxTokens: Number(anthropic[2]) };
  const openai = /maximum context length is (\d{1,15}) tokens.{0,200}resulted in (\d{1,15}) tokens/.exec(message);
  return openai ? { usedTokens: Number(openai[2]), maxTokens: Number(openai[1]) } : {};
}

function firstLine(message: string): string {
  const [line = message] = message.split('\n    at ');
  return line.trim();
}
