import { expect, test } from 'vitest';
import { idOfNext, isLost } from './message.logic.ts';

test('the message that says it again has the same id whoever asks, another each time it fails, and never a long one', () => {
  expect(idOfNext('m1')).toBe('m1.again1');
  expect(idOfNext('m1.again1')).toBe('m1.again2');
  expect(idOfNext('m1.again9')).toBe('m1.again10');
  const long = idOfNext('x'.repeat(100));
  expect([long.length, long.endsWith('.again1')]).toEqual([100, true]);
  expect(idOfNext(long)).toBe(`${'x'.repeat(93)}.again2`);
});

test('only what was not sent, or perhaps not, is for a person to decide', () => {
  const states = ['queued', 'accepted', 'done', 'failed', 'cancelled', 'unknown', 'dismissed'] as const;
  expect(states.filter((state) => isLost({ state }))).toEqual(['failed', 'unknown']);
});
