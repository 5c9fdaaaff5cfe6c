import type { AuditEntry } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import { actionWords, chooseEntries, detailWords, whoWords } from './audit.logic.ts';

const entry = (id: number, action: string, detail: AuditEntry['detail'] = {}): AuditEntry => ({
  ...{ id, time: id, who: 'token', action, sessionId: null, detail },
});

test('decisions are shown alone unless all is asked for, the newest first, and every word must occur', () => {
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

test('what matters comes first in the detail, and what is empty is left out', () => {
  expect(detailWords({ requestId: 'r1', rule: 'r', outcome: 'allowed', reason: '', more: { a: 1 } })).toBe(
    'outcome: allowed · rule: r · more: {"a":1}',
  );
});

test('a request is shown by its title and tool, not by its id', () => {
  expect(
    detailWords({ requestId: 's1:1:r-7', kind: 'approval', tool: 'Bash', title: 'Run ls', outcome: 'denied' }),
  ).toBe('Run ls · outcome: denied · tool: Bash');
  expect(detailWords({ kind: 'folder' })).toBe('kind: folder');
});

test('an answer tells what its action does not', () => {
  expect(detailWords({ tool: 'write_file', answer: { decision: 'allow', optionId: 'allow' } })).toBe(
    'tool: write_file',
  );
  expect(detailWords({ title: 'Run ls', answer: { decision: 'deny', message: 'not now' } })).toBe(
    'Run ls · answer: not now',
  );
  expect(detailWords({ answer: { decision: 'answer', answers: { a: ['b'] } } })).toBe(
    'answer: {"answers":{"a":["b"]}}',
  );
});

test('who and what are said in words; a browser by its name while it is signed in', () => {
  const browsers = new Map([['abc', 'Firefox on Linux']]);
  const words = (who: string) => whoWords(who, browsers);
  expect(['browser:abc', 'browser:gone', 'agent', 'rule no-push', 'schedule:x'].map(words)).toEqual([
    'Firefox on Linux',
    'a browser that is signed out',
    'the agent itself',
    'rule no-push',
    'schedule:x',
  ]);
  expect(words('token')).toContain('command line');
  expect(['policy.rule-removed', 'request.allow'].map(actionWords)).toEqual(['Policy rule removed', 'Allowed']);
});

test('they are chosen by who decided, and by session', () => {
  const entries = ['token', 'rule x', 'browser:a', 'timeout'].map((who, at) => ({
    ...entry(at, 'request.allow'),
    who,
    sessionId: at === 0 ? 's' : null,
  }));
  const ids = (filter: { by?: string; session?: string }) =>
    chooseEntries(entries, { text: '', isAll: false, ...filter }).map(({ id }) => id);
  expect([ids({ by: 'people' }), ids({ by: 'rules' }), ids({ by: 'agents' })]).toEqual([[2, 0], [1], [3]]);
  expect(ids({ session: 's' })).toEqual([0]);
});
