import { describe, expect, it } from 'vitest';
import { findResetTime, parseProseDuration, parseRetryAfter } from './reset-time.ts';

const now = Date.UTC(2026, 10, 16, 14, 0, 0);
const [s, min, h, d] = [1000, 60_000, 3_600_000, 86_400_000];

describe('prose duration', () => {
  it.each([
    ['55s', 55 * s],
    ['0s.', 0],
    ['2h3m4s', 2 * h + 3 * min + 4 * s],
    ['8h44m7s.', 8 * h + 44 * min + 7 * s],
    ['5 days 22 hours 11 minutes.', 5 * d + 22 * h + 11 * min],
    ['3 hours and 2 minutes', 3 * h + 2 * min],
    ['1 day, 2 hours', d + 2 * h],
    ['6173ms...', 6173],
    ['4.5 sec', 4500],
    ['2733 seconds', 2733 * s],
    ['30', 30 * s],
  ])('%s', (text, ms) => {
    expect(parseProseDuration(text)).toBe(ms);
  });

  it.each(['', 'later', '3 requests', '3:05 PM', '15th', '2/3', 'in 5s'])('is not "%s"', (text) => {
    expect(parseProseDuration(text)).toBeUndefined();
  });
});

describe('Retry-After', () => {
  it('is seconds or a date', () => {
    expect(parseRetryAfter('120', now)).toBe(120_000);
    expect(parseRetryAfter(' 1.5 ', now)).toBe(1500);
    expect(parseRetryAfter('Mon, 16 Nov 2026 14:02:00 GMT', now)).toBe(120_000);
    expect(parseRetryAfter('Mon, 16 Nov 2026 13:00:00 GMT', now)).toBe(0);
    for (const odd of ['', 'soon', '-5', '2026', '1e9 years']) expect(parseRetryAfter(odd, now)).not.toBeNaN();
    expect(parseRetryAfter('soon', now)).toBeUndefined();
  });
});

describe('reset time of a limit', () => {
  const inMs: [text: string, ms: number][] = [
    ['You have exhausted your capacity on this model. Your quota will reset after 2h3m4s.', 2 * h + 3 * min + 4 * s],
    ['Attempt 1 failed: Your quota will reset after 5s.. Retrying after 6173ms...', 5 * s],
    ['You exceeded your current quota. Please retry in 12.5s.', 12_500],
    ['"details":[{"@type":"RetryInfo","retryDelay":"55s"}]', 55 * s],
    [
      "You've hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes.",
      5 * d + 22 * h + 11 * min,
    ],
    ['{"type":"usage_limit_reached","resets_in_seconds":9000}', 9000 * s],
    ['{"plan_type":"plus","resets_at":1794841200}', h],
    ["You've exceeded your 5 hour session limits. Please retry after 2733 seconds.", 2733 * s],
    ['You have been rate-limited. Please wait 2 minutes before trying again', 2 * min],
    ['Rate limit reached for requests. Please try again in 30s.', 30 * s],
    ['429 slow down retry-after-ms=30000', 30 * s],
    ['HTTP 429 Too Many Requests (Retry-After: 45)', 45 * s],
    ['Retrying in 60s (attempt 1/10): [API Error: 429 slow down]', 60 * s],
    ['Waiting for API capacity... attempt 3, retry in 200s', 200 * s],
    ['Claude AI usage limit reached|1794841200', h],
    ['Please wait for your limit to reset on November 17, 2026 at 2:00 AM (UTC) or switch', 12 * h],
    ['limit reached, resets 3pm (UTC)', h],
    ['resets 4pm (Europe/Berlin)', h],
    ['try again at 1:05 PM (UTC).', 23 * h + 5 * min],
    ['limit resets at 2026-11-16T15:30:00Z', 1.5 * h],
    ['try again at Nov 20th, 2026 2:00 PM (UTC)', 4 * d],
    ['resets Jan 5, 9am (UTC)', Date.UTC(2027, 0, 5, 9) - now],
    ['retry after Mon, 16 Nov 2026 14:02:00 GMT', 2 * min],
  ];
  it.each(inMs)('is parsed from: %s', (text, ms) => {
    expect(findResetTime(text, now)).toBe(now + ms);
  });

  it.each([
    'Resource has been exhausted (e.g. check quota).',
    'Rate limit: 60 requests per 1 min',
    'try again later',
    'please try again in a few minutes',
    'attempt 3 of 10 failed with 429',
    'reset your 2 passwords',
    'wait for limits to reset (every 5h and every week.)',
    '',
  ])('is not in: %s', (text) => {
    expect(findResetTime(text, now)).toBeUndefined();
  });

  it('takes linear time for hostile text', () => {
    const start = performance.now();
    for (const piece of ['again ', 'retry after ', 'resets in 1 ', 'retry-after: ', '1 day ', 'wait for ']) {
      findResetTime(piece.repeat(100_000), now);
    }
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
