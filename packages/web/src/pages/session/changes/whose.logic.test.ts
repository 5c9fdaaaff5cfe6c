import type { Session } from '@agent-mux/api/browser';
import { describe, expect, it } from 'vitest';
import { lastSteps, sharersOf } from './whose.logic.ts';

const entry = (timestamp: number, action: string, detail: Record<string, unknown> = {}) => ({
  timestamp: timestamp,
  action,
  detail,
});

describe('lastSteps', () => {
  it('keeps the last merge and later steps, each kind once', () => {
    const steps = lastSteps([
      entry(1, 'worktree.commit', { commit: 'a', into: null }),
      entry(2, 'worktree.merge', { commit: 'b', into: 'main' }),
      entry(3, 'request.allow'),
      entry(4, 'worktree.commit', { commit: 'c', into: null }),
      entry(5, 'worktree.commit', { commit: 'd', into: null }),
    ]);
    expect(steps).toEqual([
      { kind: 'merge', time: 2, where: 'b', into: 'main' },
      { kind: 'commit', time: 5, where: 'd', into: null },
    ]);
  });

  it('reports a discard with the ref of the saved work', () => {
    expect(lastSteps([entry(1, 'worktree.discard', { savedRef: 'refs/x' })])).toMatchObject([{ where: 'refs/x' }]);
    expect(lastSteps([entry(1, 'session.create')])).toEqual([]);
  });
});

describe('sharersOf', () => {
  const session = (id: string, cwd: string, kind: 'folder' | 'worktree' = 'folder') =>
    ({ id, cwd, workspace: { kind } }) as Session;

  it('finds sessions in the same, nested and parent folders but not in worktrees', () => {
    const own = session('a', '/x/shop');
    const all = [
      own,
      session('b', '/x/shop'),
      session('c', '/x/shop/src'),
      session('d', '/x'),
      session('e', '/x/shop-docs'),
      session('f', '/x/shop', 'worktree'),
    ];
    expect(sharersOf(own, all).map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });
});
