import type { Change, Message, Request, Session } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import { applyChanges, loadRows, messageKey, NO_ROWS } from './changes.logic.ts';
import { aLimit, aMessage, aRequest, aSession } from './fixtures.ts';
import { errorKey, inboxOf } from './inbox.logic.ts';

const ofSession = (value: Session): Change => ({ kind: 'session', id: value.id, rev: value.rev, value });
const ofRequest = (value: Request): Change => ({ kind: 'request', id: value.id, rev: value.rev, value });
const ofMessage = (value: Message): Change => ({
  kind: 'message',
  id: value.id,
  sessionId: value.sessionId,
  rev: value.rev,
  value,
});

test('keeps the latest version of each row and the last revision', () => {
  const rows = applyChanges(NO_ROWS, [
    ofSession(aSession({ id: 'a', rev: 1, title: 'old' })),
    ofSession(aSession({ id: 'b', rev: 2 })),
    ofSession(aSession({ id: 'a', rev: 3, title: 'new' })),
  ]);
  expect(rows.rev).toBe(3);
  expect([...rows.sessions.values()].map(({ id, title }) => [id, title])).toEqual([
    ['a', 'new'],
    ['b', null],
  ]);
});

test('ignores late and duplicate changes', () => {
  const loaded = loadRows(NO_ROWS, { sessions: [aSession({ id: 'a', rev: 5, title: 'new' })], requests: [], rev: 5 });
  const rows = applyChanges(loaded, [
    ofSession(aSession({ id: 'a', rev: 4, title: 'old' })),
    ofSession(aSession({ id: 'a', rev: 5 })),
  ]);
  expect(rows.sessions).toBe(loaded.sessions);
  const again = loadRows(rows, { sessions: [aSession({ id: 'a', rev: 3, title: 'older' })], requests: [], rev: 3 });
  expect([again.sessions.get('a')?.title, again.rev]).toEqual(['new', 5]);
});

test('deletes removed rows and preserves unchanged objects', () => {
  const before = applyChanges(NO_ROWS, [
    ofSession(aSession({ id: 'a', rev: 1 })),
    ofSession(aSession({ id: 'b', rev: 2 })),
    ofRequest(aRequest({ id: 'r', rev: 3 })),
  ]);
  const after = applyChanges(before, [{ kind: 'session', id: 'a', rev: 4, value: null }]);
  expect([...after.sessions.keys()]).toEqual(['b']);
  expect(after.sessions.get('b')).toBe(before.sessions.get('b'));
  expect(after.requests).toBe(before.requests);
  expect([...before.sessions.keys()]).toEqual(['a', 'b']);
});

test('keys open messages by session because senders choose message ids', () => {
  const rows = applyChanges(NO_ROWS, [
    ofMessage(aMessage({ id: 'm', sessionId: 'a', rev: 1 })),
    ofMessage(aMessage({ id: 'm', sessionId: 'b', rev: 2 })),
    ofMessage(aMessage({ id: 'm', sessionId: 'a', rev: 3, state: 'completed' })),
  ]);
  expect([...rows.messages.keys()]).toEqual([messageKey('b', 'm')]);
});

test('orders the inbox: requests (oldest first), failures, limits', () => {
  const failed = aSession({ id: 'f', rev: 1, error: { code: 'X', message: 'no' } });
  const limited = aSession({ id: 'l', rev: 2, activity: 'limited', limit: aLimit({ message: 'full', resetsAt: 9 }) });
  const rows = applyChanges(NO_ROWS, [
    ofSession(limited),
    ofSession(failed),
    ofSession(aSession({ id: 'ok', rev: 3 })),
    ofRequest(aRequest({ id: 'young', rev: 4, createdAt: 20 })),
    ofRequest(aRequest({ id: 'old', rev: 5, createdAt: 10 })),
    ofRequest(aRequest({ id: 'snoozed', rev: 6, snoozedUntil: 200 })),
    ofRequest(aRequest({ id: 'answered', rev: 7, state: 'answered' })),
  ]);
  const keysAt = (now: number, of = rows) => inboxOf(of, now).map(({ key }) => key);
  expect(keysAt(100)).toEqual(['old', 'young', errorKey(failed), errorKey(limited)]);
  expect(keysAt(300)).toContain('snoozed');
  const dismissed = applyChanges(rows, [ofSession({ ...failed, rev: 8, dismissed: failed.activitySince })]);
  expect(keysAt(100, dismissed)).not.toContain(errorKey(failed));
  const failedAgain = { ...failed, rev: 9, dismissed: failed.activitySince, activitySince: failed.activitySince + 1 };
  expect(keysAt(100, applyChanges(dismissed, [ofSession(failedAgain)]))).toContain(errorKey(failedAgain));
});
