import { describe, expect, it } from 'vitest';
import { waitOf, withResetTime } from './limit-event.ts';
import { LONGEST_LIMIT_MS } from './time.ts';

const now = Date.UTC(2026, 10, 16);
const DAY = 86_400_000;
const refusal = { type: 'rate_limit_error', message: 'slow down', retrying: false } as const;

describe('reset time of a limit', () => {
  it.each<[string, object, number | undefined]>([
    ['an hour', { retryAfterMs: 3_600_000 }, now + 3_600_000],
    ['a month', { resetsAt: now + 31 * DAY }, now + 31 * DAY],
    ['a time in the past', { resetsAt: now - 5 }, now - 5],
    ['1e308 ms', { retryAfterMs: 1e308 }, undefined],
    ['1e308 as a time', { resetsAt: 1e308 }, undefined],
    ['the end of time', { resetsAt: 8.64e15 }, undefined],
    ['a year', { retryAfterMs: 366 * DAY }, undefined],
    ['infinity', { retryAfterMs: Number.POSITIVE_INFINITY, resetsAt: Number.POSITIVE_INFINITY }, undefined],
    ['not a number', { retryAfterMs: Number.NaN, resetsAt: Number.NaN }, undefined],
    ['a negative time', { resetsAt: -1 }, undefined],
    ['a far time next to a near delay', { resetsAt: 1e300, retryAfterMs: 5000 }, now + 5000],
    ['a far delay next to a near time', { resetsAt: now + 5000, retryAfterMs: 1e300 }, now + 5000],
    ['a far time in the message', { message: 'try again in 99999999999 days' }, undefined],
    ['a far time next to a near one in the message', { resetsAt: 1e300, message: 'try again in 5s' }, now + 5000],
  ])('of %s', (_, fields, expected) => {
    const event = withResetTime({ ...refusal, ...fields }, now);
    expect(event.resetsAt).toBe(expected);
    expect(event.retryAfterMs === undefined).toBe(expected === undefined);
    expect(waitOf(event, now)).toBeLessThanOrEqual(LONGEST_LIMIT_MS);
  });
});
