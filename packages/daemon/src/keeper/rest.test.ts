import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeRest } from './rest.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a rest lasts for its time', async () => {
  const over = vi.fn();
  const taken = makeRest().take(8).then(over);
  await vi.advanceTimersByTimeAsync(7);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await taken;
  expect(over).toHaveBeenCalled();
});

test('a rest is cut short by its end, and leaves no timer; the next one lasts', async () => {
  const rest = makeRest();
  rest.end();
  const first = rest.take(8);
  rest.end();
  await first;
  expect(vi.getTimerCount()).toBe(0);
  const over = vi.fn();
  void rest.take(8).then(over);
  await vi.advanceTimersByTimeAsync(7);
  expect(over).not.toHaveBeenCalled();
});
