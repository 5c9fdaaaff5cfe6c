import { expect, test } from 'vitest';
import { aSession } from '../../data/made-up.ts';
import { stateOf, wordOf } from '../../data/session-state.logic.ts';
import { addressOfGroup, groupSessions, projectsOf } from './board.logic.ts';

const everything = { text: '', agent: '', project: '' };

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

test('projects are folders by their names, by their paths where two have the same name, and a worktree is of its repository', () => {
  const worktree = {
    kind: 'worktree' as const,
    ...{ path: '/state/trees/x', repository: '/srv/shop', branch: 'x', base: '0', baseBranch: null },
    ...{ removed: false, savedRef: null },
  };
  const sessions = [
    aSession({ id: 'a', rev: 1, cwd: '/srv/shop' }),
    aSession({ id: 'b', rev: 2, cwd: '/state/trees/x', workspace: worktree }),
    aSession({ id: 'c', rev: 3, cwd: '/srv/docs' }),
    aSession({ id: 'd', rev: 4, cwd: '/home/docs' }),
  ];
  expect(projectsOf(sessions)).toEqual([
    { value: '/home/docs', label: '/home/docs' },
    { value: '/srv/docs', label: '/srv/docs' },
    { value: '/srv/shop', label: 'shop' },
  ]);
  expect(groupSessions(sessions, { ...everything, project: '/srv/shop' }).done.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('the whole of a group is found with what was filtered', () => {
  expect(addressOfGroup('done', { text: 'a b', agent: '', project: '/srv/shop' })).toBe(
    '/sessions?state=done&q=a+b&project=%2Fsrv%2Fshop',
  );
});
