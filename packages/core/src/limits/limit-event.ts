import type { EventBody } from '../contract/events.ts';
import { findResetTime } from './reset-time.ts';
import { believableTime } from './time.ts';

type RateLimitError = Extract<EventBody, { type: 'rate_limit_error' }>;

/** With both of its times, where either is known or is in its message; without them where neither can be meant. */
export function withResetTime(event: RateLimitError, now: number): RateLimitError {
  const { retryAfterMs, resetsAt: told, ...rest } = event;
  const retryAt = retryAfterMs === undefined ? undefined : believableTime(now + retryAfterMs, now);
  const resetsAt = believableTime(told, now) ?? retryAt ?? believableTime(findResetTime(event.message, now), now);
  if (resetsAt === undefined) return rest;
  const isMeant = retryAfterMs !== undefined && retryAfterMs >= 0 && retryAt !== undefined;
  return { ...rest, resetsAt, retryAfterMs: isMeant ? retryAfterMs : Math.max(0, resetsAt - now) };
}

/** How long it makes no sense to ask again: until the limit is lifted, and not sooner than was asked for. */
export function waitOf(event: EventBody, now: number): number {
  if (event.type !== 'rate_limit_error') return 0;
  const { retryAfterMs = 0, resetsAt = now } = event;
  return Math.max(0, retryAfterMs, resetsAt - now);
}
