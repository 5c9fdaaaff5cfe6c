import { expect, test } from 'vitest';
import { aMessage, aSession } from '../../data/made-up.ts';
import { remedyOf } from './remedy.logic.ts';

const failed = (code: string, more = {}) => aSession({ id: 'a', rev: 1, error: { code, message: 'no' }, ...more });
const message = (id: string, state: 'failed' | 'done' | 'unknown', createdAt: number) =>
  aMessage({ id, sessionId: 'a', rev: 1, state, createdAt });

test('a failure names the step that mends it', () => {
  expect(remedyOf(failed('AUTH_ERROR', { isTerminated: true }), [])).toMatchObject({ href: '/agents/fake' });
  expect(remedyOf(failed('AGENT_NOT_INSTALLED'), [])).toMatchObject({ words: 'Install it…' });
  expect(remedyOf(failed('AGENT_CRASH', { isTerminated: true }), [])).toEqual({ kind: 'restore' });
  expect(remedyOf(failed('AGENT_ERROR'), [])).toBe(null);
});

test('the last message is sent again only where it was not delivered', () => {
  const lost = message('m2', 'failed', 2);
  expect(remedyOf(failed('KEEPER_GONE'), [lost, message('m1', 'done', 1)])).toEqual({
    kind: 'send-again',
    message: lost,
  });
  expect(remedyOf(failed('AGENT_ERROR'), [message('m1', 'failed', 1), message('m2', 'done', 2)])).toBe(null);
});
