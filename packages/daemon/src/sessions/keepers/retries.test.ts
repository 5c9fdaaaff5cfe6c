import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Retries } from './retries.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Retries', () => {
  it('uses one timer per session', () => {
    const retries = new Retries();
    const attempt = vi.fn();
    for (let i = 0; i < 10; i++) retries.arm('s', 'silent', attempt);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(5000);
    expect(attempt).toHaveBeenCalledTimes(1);
    expect(retries.has('s')).toBe(false);
  });

  it('doubles the delay up to five minutes and resets it after an answer', () => {
    const retries = new Retries();
    const delays: number[] = [];
    let armedAt = 0;
    const attempt = () => {
      delays.push(Date.now() - armedAt);
      armedAt = Date.now();
      retries.arm('s', 'silent', attempt);
    };
    armedAt = Date.now();
    retries.arm('s', 'silent', attempt);
    vi.advanceTimersByTime(20 * 60_000);
    expect(delays).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    expect(vi.getTimerCount()).toBe(1);
    retries.clear('s');
    expect(vi.getTimerCount()).toBe(0);
    armedAt = Date.now();
    retries.arm('s', 'silent', attempt);
    vi.advanceTimersByTime(5000);
    expect(delays.at(-1)).toBe(5000);
  });

  it('reports a problem again only when it changes', () => {
    const retries = new Retries();
    const isNew = ['silent', 'silent', 'unknown version', 'silent'].map((problem) =>
      retries.arm('s', problem, () => {}),
    );
    expect(isNew).toEqual([true, false, true, true]);
    retries.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
