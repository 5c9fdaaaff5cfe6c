import type { EventBody } from '../contract/events.ts';
import { findResetTime } from './reset-time.ts';
import { believableTime } from './time.ts';

type RateLimitError = Extract<EventBody, { type: 'rate_limit_error' }>;

/** Adds the reset time and the delay if either is known or in the message; removes implausible ones. */
export function withResetTime(event: RateLimitError, now: number): RateLimitError {
  const { retryAfterMs, resetsAt: reported, ...rest } = event;
  const retryAt = retryAfterMs === undefined ? undefined : believableTime(now + retryAfterMs, now);
  const resetsAt = believableTime(reported, now) ?? retryAt ?? believableTime(findResetTime(event.message, now), now);
  if (resetsAt === undefined) return rest;
  const isMeant = retryAfterMs !== undefined && retryAfterMs >= 0 && retryAt !== undefined;
  return { ...rest, resetsAt, retryAfterMs: isMeant ? retryAfterMs : Math.max(0, resetsAt - now) };
}

/** Milliseconds until a retry makes sense: until the limit resets, and not before the requested delay. */
export function waitOf(event: EventBody, now: number): number {
  if (event.type !== 'rate_limit_error') return 0;
  const { retryAfterMs = 0, resetsAt = now } = event;
  return Math.max(0, retryAfterMs, resetsAt - now);
}
