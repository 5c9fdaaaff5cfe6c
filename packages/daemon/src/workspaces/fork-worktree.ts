import { relative } from 'node:path';
import type { Session } from '@agent-mux/api';
import { useRepository } from './repository.ts';
import { snapshotWork } from './save-work.ts';
import { findHead } from './work-files.ts';
import { locateRepository, locateWorktree, type Worktree, type WorktreeWish } from './worktree.ts';

/**
 * What the worktree of a fork starts from: the commit that is checked out in the worktree of the other session, and its uncommitted
 * work where that is wanted. It is merged into the same branch as the other one.
 */
export async function planFork(
  { id, cwd }: Pick<Session, 'id' | 'cwd'>,
  worktree: Worktree,
  withChanges: boolean,
): Promise<WorktreeWish & { inner: string }> {
  const { path, branch, baseBranch, base, savedRef } = worktree;
  const inner = relative(path, cwd);
  if (worktree.removed)
    return { base: branch, baseBranch, inner, ...(withChanges && savedRef ? { changes: savedRef } : {}) };
  await locateRepository(worktree.repository);
  return useRepository(await locateWorktree(worktree), { writes: true }, async (repository) => {
    const head = (await findHead(repository)) ?? base;
    const changes = withChanges ? await snapshotWork(repository, `Uncommitted work of session ${id}`) : null;
    return { base: head, baseBranch, inner, ...(changes === null ? {} : { changes }) };
  });
}
