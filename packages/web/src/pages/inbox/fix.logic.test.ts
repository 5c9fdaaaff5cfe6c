import { expect, test } from 'vitest';
import { aMessage, aSession } from '../../data/fixtures.ts';
import { fixFor } from './fix.logic.ts';

const failed = (code: string, more = {}) => aSession({ id: 'a', rev: 1, error: { code, message: 'no' }, ...more });
const message = (id: string, state: 'failed' | 'completed' | 'unknown', createdAt: number) =>
  aMessage({ id, sessionId: 'a', rev: 1, state, createdAt });

test('suggests the step that fixes a failure', () => {
  expect(fixFor(failed('AUTH_ERROR', { isTerminated: true }), [])).toMatchObject({ href: '/agents/fake' });
  expect(fixFor(failed('AGENT_NOT_INSTALLED'), [])).toMatchObject({ label: 'Install…' });
  expect(fixFor(failed('AGENT_CRASH', { isTerminated: true }), [])).toEqual({ kind: 'restore' });
  expect(fixFor(failed('AGENT_ERROR'), [])).toBe(null);
});

test('offers to resend only an undelivered last message', () => {
  const lost = message('m2', 'failed', 2);
  expect(fixFor(failed('KEEPER_GONE'), [lost, message('m1', 'completed', 1)])).toEqual({
    kind: 'send-again',
    message: lost,
  });
  expect(fixFor(failed('AGENT_ERROR'), [message('m1', 'failed', 1), message('m2', 'completed', 2)])).toBe(null);
});
