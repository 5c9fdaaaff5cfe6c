import type { AuditEntry } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import { actionText, actorText, chooseEntries, detailText } from './audit.logic.ts';

const entry = (id: number, action: string, detail: AuditEntry['detail'] = {}): AuditEntry => ({
  ...{ id, timestamp: id, actor: 'token', action, sessionId: null, detail },
});

test('shows only decisions by default, newest first, and matches all words', () => {
  const entries = [
    entry(1, 'session.create'),
    entry(2, 'request.answer', { title: 'Write a.txt' }),
    entry(3, 'request.resolved', { title: 'Run ls' }),
  ];
  const ids = (text: string, isAll: boolean) => chooseEntries(entries, { text, isAll }).map(({ id }) => id);
  expect(ids('', false)).toEqual([3, 2]);
  expect(ids('', true)).toEqual([3, 2, 1]);
  expect(ids('a.txt WRITE', false)).toEqual([2]);
  expect(ids('nowhere', true)).toEqual([]);
});

test('puts important details first and omits empty ones', () => {
  expect(detailText({ requestId: 'r1', rule: 'r', outcome: 'allowed', reason: '', more: { a: 1 } })).toBe(
    'outcome: allowed · rule: r · more: {"a":1}',
  );
});

test('shows a request by title and tool instead of id', () => {
  expect(
    detailText({ requestId: 's1:1:r-7', kind: 'approval', tool: 'Bash', title: 'Run ls', outcome: 'denied' }),
  ).toBe('Run ls · outcome: denied · tool: Bash');
  expect(detailText({ kind: 'folder' })).toBe('kind: folder');
});

test('omits parts of an answer that its action already says', () => {
  expect(detailText({ tool: 'write_file', answer: { decision: 'allow', optionId: 'allow' } })).toBe('tool: write_file');
  expect(detailText({ title: 'Run ls', answer: { decision: 'deny', message: 'not now' } })).toBe(
    'Run ls · answer: not now',
  );
  expect(detailText({ answer: { decision: 'answer', answers: { a: ['b'] } } })).toBe('answer: {"answers":{"a":["b"]}}');
});

test('describes actors and actions, naming signed-in browsers', () => {
  const browsers = new Map([['abc', 'Firefox on Linux']]);
  const text = (actor: string) => actorText(actor, browsers);
  expect(['browser:abc', 'browser:gone', 'agent', 'rule no-push', 'schedule:x'].map(text)).toEqual([
    'Firefox on Linux',
    'signed-out browser',
    'the agent',
    'rule no-push',
    'schedule:x',
  ]);
  expect(text('token')).toContain('CLI');
  expect(['policy.rule-remove', 'request.allow'].map(actionText)).toEqual(['Policy rule removed', 'Allowed']);
});

test('filters by actor and by session', () => {
  const entries = ['token', 'rule x', 'browser:a', 'timeout'].map((actor, at) => ({
    ...entry(at, 'request.allow'),
    actor,
    sessionId: at === 0 ? 's' : null,
  }));
  const ids = (filter: { by?: string; session?: string }) =>
    chooseEntries(entries, { text: '', isAll: false, ...filter }).map(({ id }) => id);
  expect([ids({ by: 'people' }), ids({ by: 'rules' }), ids({ by: 'agents' })]).toEqual([[2, 0], [1], [3]]);
  expect(ids({ session: 's' })).toEqual([0]);
});
