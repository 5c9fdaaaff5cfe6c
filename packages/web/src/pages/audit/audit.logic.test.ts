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
    'outcome: allowed · rule: r · requestId: r1 · more: {"a":1}',
  );
});

test('who and what are said in words', () => {
  expect(['browser:abc', 'token', 'schedule:x'].map(whoWords)).toEqual(['a browser', 'the command line', 'schedule:x']);
  expect(actionWords('policy.rule-removed')).toBe('policy rule removed');
});
