import { expect, test } from 'vitest';
import { aSession } from '../../data/made-up.ts';
import { stateOf, wordOf } from '../../data/session-state.logic.ts';
import { groupSessions } from './board.logic.ts';

const everything = { text: '', agent: '' };

test('a session stands where it matters most: what it asks before what failed', () => {
  const state = (given: Partial<Parameters<typeof stateOf>[0]>) => stateOf(aSession({ id: 'a', rev: 1, ...given }));
  const error = { code: 'X', message: 'no' };
  expect([
    state({ openRequests: 1, error }),
    state({ activity: 'active', error }),
    state({ activity: 'limited', error }),
    state({ error }),
    state({ isTerminated: true }),
  ]).toEqual(['waiting', 'working', 'limited', 'failed', 'done']);
  expect(wordOf(aSession({ id: 'a', rev: 1, parked: true }))).toBe('Parked');
});

test('pinned ones come first, then those that moved last', () => {
  const { done } = groupSessions(
    [
      aSession({ id: 'old', rev: 1, activitySince: 1 }),
      aSession({ id: 'new', rev: 2, activitySince: 2 }),
      aSession({ id: 'pinned', rev: 3, pinned: true }),
    ],
    everything,
  );
  expect(done.map(({ id }) => id)).toEqual(['pinned', 'new', 'old']);
});

test('all words of a search must occur, anywhere', () => {
  const sessions = [
    aSession({ id: 'a', rev: 1, title: 'Mend the build', cwd: '/srv/shop' }),
    aSession({ id: 'b', rev: 2, title: 'Mend the door' }),
  ];
  expect(groupSessions(sessions, { ...everything, text: 'mend SHOP' }).done.map(({ id }) => id)).toEqual(['a']);
  expect(groupSessions(sessions, { ...everything, agent: 'other' }).done).toEqual([]);
});
