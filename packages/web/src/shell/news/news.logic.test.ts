import type { Request, Session } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import { inboxOf } from '../../data/inbox.logic.ts';
import { aLimit, aRequest, aSession } from '../../data/made-up.ts';
import { announce, LONG_TURN_MS, type NewsMemory, takeNews } from './news.logic.ts';

const byId = <Row extends { id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));
const ASKED = { type: 'approval_request', title: 'Run npm test', kind: 'execute' };

/** A page that looks at rows, again and again. */
function openPage() {
  let memory: NewsMemory | null = null;
  return (sessions: readonly Session[], requests: readonly Request[] = []) => {
    const rows = { sessions: byId(sessions), requests: byId(requests) };
    const inbox = inboxOf(rows, 1_000);
    const taken = takeNews(memory, { inbox, sessions: rows.sessions });
    memory = taken.memory;
    return { ...taken, kinds: taken.fresh.map(({ kind }) => kind), said: announce(taken.fresh, inbox.length) };
  };
}
const session = (given: Partial<Session> = {}) =>
  aSession({ id: 'a', rev: 1, agent: 'claude', title: 'Tests', ...given });
const request = (given: Partial<Request> = {}) =>
  aRequest({ id: 'r1', rev: 1, agent: 'claude', event: ASKED, ...given });

test('what was there when the page was opened is no news; what comes is told once, also over a reconnect', () => {
  const look = openPage();
  expect(look([session()], [request()]).kinds).toEqual([]);
  const second = request({ id: 'r2', createdAt: 1 });
  const { fresh, said } = look([session()], [request(), second]);
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
  expect(said).toBe('Claude asks to run a command; 2 wait for you');
  expect(look([session()], [request(), second])).toMatchObject({ kinds: [], gone: [], said: '' });
  // All rows anew, as after a break.
  expect(look([session({ rev: 9 })], [request({ rev: 9 }), { ...second, rev: 9 }]).kinds).toEqual([]);
});

test('what was answered, here or elsewhere, has passed; what was put off and comes back is not told again', () => {
  const look = openPage();
  look([session()]);
  expect(look([session()], [request()]).kinds).toEqual(['request']);
  expect(look([session()], [request({ laterUntil: 5_000 })])).toMatchObject({ kinds: [], gone: ['request:r1'] });
  expect(look([session()], [request()]).kinds).toEqual([]);
  expect(look([session()], [request({ state: 'answered' })]).gone).toEqual(['request:r1']);
  expect(look([session()], [request({ state: 'answered' })]).gone).toEqual([]);
});

test('of what an earlier page has shown it is known what still stands', () => {
  const { stands } = openPage()([session({ turns: 2 })], [request()]);
  const all = ['request:r1', 'request:r0', 'done:a:1:2', 'done:a:1:1', 'done:b:1:1'];
  expect(all.filter(stands)).toEqual(['request:r1', 'done:a:1:2']);
});

test('a failure and a limit are told once each, whatever else changes in the row', () => {
  const look = openPage();
  look([session({ turns: 1 })]);
  const failed = session({ turns: 2, error: { code: 'X', message: 'no\nway' } });
  expect(look([failed]).fresh).toMatchObject([{ kind: 'failure', text: 'Has failed: no way' }]);
  // Parked: shown anew, and the same failure.
  expect(look([{ ...failed, activitySince: 999, parked: true }])).toMatchObject({ kinds: [], gone: [] });
  expect(look([session({ turns: 3, error: { code: 'X', message: 'again' } })]).kinds).toEqual(['failure']);
  const limited = session({ turns: 4, activity: 'limited', limit: aLimit({ id: 'l7', message: 'used up' }) });
  expect(look([limited])).toMatchObject({ kinds: ['limit'], said: 'Claude has met a limit; 1 waits for you' });
  expect(look([{ ...limited, limit: aLimit({ id: 'l7', message: 'used up', state: 'stopped' }) }]).kinds).toEqual([]);
});

test('the end of a long turn is told, with the time that it asked; that of a short one, or of one that was stopped, is not', () => {
  const look = openPage();
  const at = (activitySince: number, given: Partial<Session>) => look([session({ activitySince, ...given })]);
  at(0, {});
  at(1_000, { activity: 'active' });
  expect(at(2_000, { turns: 1 }).kinds).toEqual([]);
  at(10_000, { activity: 'active', turns: 1 });
  at(12_000, { activity: 'blocked', turns: 1 });
  at(9_000 + LONG_TURN_MS, { activity: 'active', turns: 1 });
  const done = at(10_000 + LONG_TURN_MS, { turns: 2, summary: 'All green' });
  expect(done.fresh).toMatchObject([{ kind: 'done', text: 'Is done' }]);
  // It waits for nobody.
  expect(done.said).toBe('');
  expect(at(99_000, { turns: 2, parked: true })).toMatchObject({ kinds: [], gone: [] });
  expect(at(100_000, { turns: 2, activity: 'active' }).gone).toEqual(['done:a:1:2']);
  expect(at(900_000, { turns: 3, activity: 'exited', isTerminated: true }).kinds).toEqual([]);
});

test('a turn that ran already when the page was opened counts from its beginning', () => {
  const look = openPage();
  look([session({ activity: 'active', activitySince: 5 })]);
  expect(look([session({ activitySince: 5 + LONG_TURN_MS, turns: 1 })]).kinds).toEqual(['done']);
});

test('what is told is one line and not too long; several at once are one sentence', () => {
  const look = openPage();
  look([session()]);
  const long = { type: 'approval_request', title: `Run ${'x'.repeat(500)}` };
  const { fresh, said } = look([session()], [request({ event: long }), request({ id: 'r2', event: {} })]);
  expect(fresh[0]!.text.length).toBeLessThanOrEqual(160);
  expect(fresh[1]!.text).toBe('Asks: Something is asked');
  expect(said).toMatch(/, and 1 more; 2 wait for you$/);
});
