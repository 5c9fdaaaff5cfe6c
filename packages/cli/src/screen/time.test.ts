import { describe, expect, it } from 'vitest';
import { clockTime, untilTime } from './time.ts';

describe('times', () => {
  it('use the local clock in a fixed format', () => {
    expect(clockTime(new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('2026-01-02 03:04:05');
    expect(clockTime(Number.NaN)).toBe('-');
  });

  it('in the future include the remaining duration', () => {
    const now = new Date(2026, 10, 16, 15, 0, 0).getTime();
    expect(untilTime(now + 90_000, now)).toBe('in 1 min 30 s, at 2026-11-16 15:01:30');
    expect(untilTime(now + 5, now)).toMatch(/^in 1 s, at/);
    expect(untilTime(now - 5, now)).toBe('now');
  });
});
