import { type EventBody, formatDuration, parseRetryAfter } from '@agent-mux/core';
import { errorEvent } from '../shared/failures.ts';
import { record, text } from '../shared/json.ts';
import { errorMessage, parseJson } from './http-text.ts';

/** A body can be a whole page; its start is enough. */
const SHOWN_CHARACTERS = 500;

/** An answer that is not 2xx, classified by what the caller can do about it. */
export function statusError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  now: number,
): EventBody {
  const message = `the server answered ${status}${quoteReason(body)}`;
  if (status === 401 || status === 403) {
    return { type: 'auth_error', message, guidance: "Check the credentials in the definition's headers." };
  }
  if (status === 429) {
    const retryAfterMs = retryAfter(headers, now);
    const resetsAt = retryAfterMs === undefined ? undefined : now + retryAfterMs;
    return { type: 'rate_limit_error', message, retryAfterMs, resetsAt, retrying: false };
  }
  return errorEvent(status >= 500 ? 'SERVER_ERROR' : 'AGENT_ERROR', message);
}

/** No answer, or only part of it. */
export function transportError(message: string, timeoutMs: number): EventBody {
  if (/time[d\s-]*out/i.test(message)) {
    const text = `the server did not answer within ${formatDuration(timeoutMs)}`;
    return errorEvent('TIMEOUT', text);
  }
  return errorEvent('NETWORK_ERROR', `the request failed: ${message}`);
}

/** Seconds or a date. */
function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return value ? parseRetryAfter(value, now) : undefined;
}

function quoteReason(body: unknown): string {
  const value = typeof body === 'string' ? (parseJson(body) ?? body) : body;
  const reason = errorMessage(value) ?? text(record(value).message) ?? text(value);
  return reason?.trim() ? `: ${reason.trim().slice(0, SHOWN_CHARACTERS)}` : '';
}
