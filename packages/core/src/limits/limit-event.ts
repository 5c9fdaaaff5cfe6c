import type { EventBody } from '../contract/events.ts';
import { findResetTime } from './reset-time.ts';
import { limitTime } from './time.ts';

type RateLimitError = Extract<EventBody, { type: 'rate_limit_error' }>;

/** With both of its times, where either is known, or stands in its words: whoever tells of a limit need not reckon. */
export function withResetTime(event: RateLimitError, now: number): RateLimitError {
  const { retryAfterMs } = event;
  const told = event.resetsAt ?? (retryAfterMs === undefined ? findResetTime(event.message, now) : now + retryAfterMs);
  if (told === undefined) return event;
  const resetsAt = limitTime(told);
  return { ...event, resetsAt, retryAfterMs: retryAfterMs ?? Math.max(0, resetsAt - now) };
}

/** How long it makes no sense to ask again: until the limit is lifted, and not sooner than was asked for. */
export function waitOf(event: EventBody, now: number): number {
  if (event.type !== 'rate_limit_error') return 0;
  const { retryAfterMs = 0, resetsAt = now } = event;
  return Math.max(0, retryAfterMs, resetsAt - now);
}
