import { expect, test } from 'vitest';
import { aSession } from '../../data/fixtures.ts';
import { stateOf, stateText } from '../../data/session-state.logic.ts';
import { groupPath, groupSessions, projectsOf } from './inbox-page.logic.ts';

const everything = { text: '', agent: '', project: '' };

test('picks the most urgent state of a session', () => {
  const state = (options: Partial<Parameters<typeof stateOf>[0]>) => stateOf(aSession({ id: 'a', rev: 1, ...options }));
  const error = { code: 'X', message: 'no' };
  expect([
    state({ openRequests: 1, error }),
    state({ activity: 'active', error }),
    state({ activity: 'limited', error }),
    state({ error }),
    state({ isTerminated: true }),
  ]).toEqual(['waiting', 'working', 'limited', 'failed', 'done']);
  expect(stateText(aSession({ id: 'a', rev: 1, parked: true }))).toBe('Parked');
});

test('sorts pinned sessions first, then by last activity', () => {
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

test('requires all search words, in any field', () => {
  const sessions = [
    aSession({ id: 'a', rev: 1, title: 'Fix the build', cwd: '/srv/shop' }),
    aSession({ id: 'b', rev: 2, title: 'Fix the login' }),
  ];
  expect(groupSessions(sessions, { ...everything, text: 'fix SHOP' }).done.map(({ id }) => id)).toEqual(['a']);
  expect(groupSessions(sessions, { ...everything, agent: 'other' }).done).toEqual([]);
});

test('names projects by folder, by path if ambiguous, and worktrees by repository', () => {
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

test('links a group to the full list with the same filter', () => {
  expect(groupPath('done', { text: 'a b', agent: '', project: '/srv/shop' })).toBe(
    '/sessions?state=done&q=a+b&project=%2Fsrv%2Fshop',
  );
});
