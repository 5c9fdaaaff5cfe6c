import { relative } from 'node:path';
import type { Session } from '@agent-mux/api';
import { useRepository } from './repository.ts';
import { snapshotWork } from './save-work.ts';
import { findHead } from './work-files.ts';
import { locateRepository, locateWorktree, type Worktree, type WorktreeOptions } from './worktree.ts';

/**
 * Options for the worktree of a fork: it starts at the commit checked out in the original worktree, optionally with its
 * uncommitted work, and merges into the same branch.
 */
export async function planFork(
  { id, cwd }: Pick<Session, 'id' | 'cwd'>,
  worktree: Worktree,
  withChanges: boolean,
): Promise<WorktreeOptions & { inner: string }> {
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
