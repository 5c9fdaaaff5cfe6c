import type { Request, Session } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import { aLimit, aRequest, aSession } from '../../data/fixtures.ts';
import { inboxOf } from '../../data/inbox.logic.ts';
import { announce, collectNotices, LONG_TURN_MS, type NoticeState } from './notices.logic.ts';

const byId = <Row extends { id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));
const APPROVAL = { type: 'approval_request', title: 'Run npm test', kind: 'execute' };

/** Simulates a page that receives rows repeatedly. */
function openPage() {
  let state: NoticeState | null = null;
  return (sessions: readonly Session[], requests: readonly Request[] = []) => {
    const rows = { sessions: byId(sessions), requests: byId(requests) };
    const inbox = inboxOf(rows, 1_000);
    const notices = collectNotices(state, { inbox, sessions: rows.sessions });
    state = notices.state;
    return { ...notices, kinds: notices.fresh.map(({ kind }) => kind), spoken: announce(notices.fresh, inbox.length) };
  };
}
const session = (options: Partial<Session> = {}) =>
  aSession({ id: 'a', rev: 1, agent: 'claude', title: 'Tests', ...options });
const request = (options: Partial<Request> = {}) =>
  aRequest({ id: 'r1', rev: 1, agent: 'claude', event: APPROVAL, ...options });

test('notifies once about new requests but not about those present at load', () => {
  const update = openPage();
  expect(update([session()], [request()]).kinds).toEqual([]);
  const second = request({ id: 'r2', createdAt: 1 });
  const { fresh, spoken } = update([session()], [request(), second]);
  expect(fresh).toEqual([
    {
      ...{
        key: 'request:r2',
        kind: 'request',
        path: '/sessions/a',
        title: 'Claude: Tests',
        text: 'Asks: Run npm test',
      },
      spoken: 'Claude asks to run a command',
    },
  ]);
  expect(spoken).toBe('Claude asks to run a command; 2 need you');
  expect(update([session()], [request(), second])).toMatchObject({ kinds: [], gone: [], spoken: '' });
  // All rows are sent again after a reconnect.
  expect(update([session({ rev: 9 })], [request({ rev: 9 }), { ...second, rev: 9 }]).kinds).toEqual([]);
});

test('withdraws answered requests and does not repeat snoozed ones', () => {
  const update = openPage();
  update([session()]);
  expect(update([session()], [request()]).kinds).toEqual(['request']);
  expect(update([session()], [request({ snoozedUntil: 5_000 })])).toMatchObject({ kinds: [], gone: ['request:r1'] });
  expect(update([session()], [request()]).kinds).toEqual([]);
  expect(update([session()], [request({ state: 'answered' })]).gone).toEqual(['request:r1']);
  expect(update([session()], [request({ state: 'answered' })]).gone).toEqual([]);
});

test('knows which notices of an earlier page still apply', () => {
  const { isCurrent } = openPage()([session({ turns: 2 })], [request()]);
  const all = ['request:r1', 'request:r0', 'done:a:1:2', 'done:a:1:1', 'done:b:1:1'];
  expect(all.filter(isCurrent)).toEqual(['request:r1', 'done:a:1:2']);
});

test('notifies once per failure and limit despite other row changes', () => {
  const update = openPage();
  update([session({ turns: 1 })]);
  const failed = session({ turns: 2, error: { code: 'X', message: 'no\nway' } });
  expect(update([failed]).fresh).toMatchObject([{ kind: 'failure', text: 'Failed: no way' }]);
  // Parking changes the row but not the failure.
  expect(update([{ ...failed, activitySince: 999, parked: true }])).toMatchObject({ kinds: [], gone: [] });
  expect(update([session({ turns: 3, error: { code: 'X', message: 'again' } })]).kinds).toEqual(['failure']);
  const limited = session({ turns: 4, activity: 'limited', limit: aLimit({ id: 'l7', message: 'used up' }) });
  expect(update([limited])).toMatchObject({ kinds: ['limit'], spoken: 'Claude hit a limit; 1 needs you' });
  expect(update([{ ...limited, limit: aLimit({ id: 'l7', message: 'used up', state: 'paused' }) }]).kinds).toEqual([]);
});

test('notifies about long turns, including time spent waiting, but not short or stopped ones', () => {
  const update = openPage();
  const at = (activitySince: number, options: Partial<Session>) => update([session({ activitySince, ...options })]);
  at(0, {});
  at(1_000, { activity: 'active' });
  expect(at(2_000, { turns: 1 }).kinds).toEqual([]);
  at(10_000, { activity: 'active', turns: 1 });
  at(12_000, { activity: 'blocked', turns: 1 });
  at(9_000 + LONG_TURN_MS, { activity: 'active', turns: 1 });
  const done = at(10_000 + LONG_TURN_MS, { turns: 2, summary: 'All green' });
  expect(done.fresh).toMatchObject([{ kind: 'done', text: 'Done' }]);
  // A finished turn needs no input.
  expect(done.spoken).toBe('');
  expect(at(99_000, { turns: 2, parked: true })).toMatchObject({ kinds: [], gone: [] });
  expect(at(100_000, { turns: 2, activity: 'active' }).gone).toEqual(['done:a:1:2']);
  expect(at(900_000, { turns: 3, activity: 'exited', isTerminated: true }).kinds).toEqual([]);
});

test('counts a turn that was already running at load from its start', () => {
  const update = openPage();
  update([session({ activity: 'active', activitySince: 5 })]);
  expect(update([session({ activitySince: 5 + LONG_TURN_MS, turns: 1 })]).kinds).toEqual(['done']);
});

test('limits a notice to one short line and joins several into one sentence', () => {
  const update = openPage();
  update([session()]);
  const long = { type: 'approval_request', title: `Run ${'x'.repeat(500)}` };
  const { fresh, spoken } = update([session()], [request({ event: long }), request({ id: 'r2', event: {} })]);
  expect(fresh[0]!.text.length).toBeLessThanOrEqual(160);
  expect(fresh[1]!.text).toBe('Asks: Approval requested');
  expect(spoken).toMatch(/, and 1 more; 2 need you$/);
});
