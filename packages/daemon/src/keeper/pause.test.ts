import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makePause } from './pause.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a pause lasts for its time', async () => {
  const over = vi.fn();
  const taken = makePause().take(8).then(over);
  await vi.advanceTimersByTimeAsync(7);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await taken;
  expect(over).toHaveBeenCalled();
});

test('a pause is cut short by its end, and leaves no timer; the next one lasts', async () => {
  const pause = makePause();
  pause.end();
  const first = pause.take(8);
  pause.end();
  await first;
  expect(vi.getTimerCount()).toBe(0);
  const over = vi.fn();
  void pause.take(8).then(over);
  await vi.advanceTimersByTimeAsync(7);
  expect(over).not.toHaveBeenCalled();
});
