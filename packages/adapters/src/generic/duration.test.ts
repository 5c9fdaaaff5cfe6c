import { parseDuration } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { durationMs } from './duration.ts';

describe('durations in agent definitions', () => {
  it.each([
    ['250ms', 250],
    ['60s', 60_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['2d', 172_800_000],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', 'm', '5 m', '-5m', '5m!', '5x', '1h 30m', 'PT5M'])('rejects "%s" as a duration', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('rejects empty and zero as a field and shows the format', () => {
    for (const text of ['', '0s']) {
      const result = durationMs.safeParse(text);
      expect(result.error?.issues[0]?.message).toContain('"1h30m"');
    }
  });
});
