import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInterruptibleSleep } from './interruptible-sleep.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('sleeps for the given time', async () => {
  const over = vi.fn();
  const slept = createInterruptibleSleep().sleep(8).then(over);
  await vi.advanceTimersByTimeAsync(7);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await slept;
  expect(over).toHaveBeenCalled();
});

test('interrupt ends only the current sleep and leaves no timer', async () => {
  const sleeper = createInterruptibleSleep();
  sleeper.interrupt();
  const first = sleeper.sleep(8);
  sleeper.interrupt();
  await first;
  expect(vi.getTimerCount()).toBe(0);
  const over = vi.fn();
  void sleeper.sleep(8).then(over);
  await vi.advanceTimersByTimeAsync(7);
  expect(over).not.toHaveBeenCalled();
});
