import { expect, test } from 'vitest';
import { isLost, resendIdOf } from './message.logic.ts';

test('derives a stable, distinct, bounded id for each resend', () => {
  expect(resendIdOf('m1')).toBe('m1.again1');
  expect(resendIdOf('m1.again1')).toBe('m1.again2');
  expect(resendIdOf('m1.again9')).toBe('m1.again10');
  const long = resendIdOf('x'.repeat(100));
  expect([long.length, long.endsWith('.again1')]).toEqual([100, true]);
  expect(resendIdOf(long)).toBe(`${'x'.repeat(93)}.again2`);
});

test('treats only failed and unknown messages as lost', () => {
  const states = ['queued', 'accepted', 'completed', 'failed', 'cancelled', 'unknown', 'dismissed'] as const;
  expect(states.filter((state) => isLost({ state }))).toEqual(['failed', 'unknown']);
});
