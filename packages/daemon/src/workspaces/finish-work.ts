import { join } from 'node:path';
import { branchOf, type GitLocation, type OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../daemon-error.ts';
import { readAllowed, useRepository, WHOLE_TREE_MS } from './repository.ts';
import { commitTree, moveLeftovers } from './save-work.ts';
import { assertFiltersAllowed, clearFlags, stageWork } from './work-files.ts';
import { findCheckout, locateRepository, locateWorktree, type Worktree } from './worktree.ts';

/** Commits all uncommitted work, including new files, to the worktree's branch. */
export async function commitWorktree(worktree: Worktree, message: string): Promise<{ commit: string }> {
  assertNotRemoved(worktree);
  const location = await locateWorktree(worktree);
  await assertOnBranch(worktree, location);
  return useRepository(location, { writes: true }, async (repository) => {
    const work = await stageWork(repository);
    const commit = await commitStaged(repository, work, message);
    if (commit === null)
      throw new DaemonError('WORKSPACE_ERROR', 'nothing to commit', {
        hint: nestedHint(work.nested) ?? 'everything is already committed',
      });
    await moveToStaged(repository, worktree.branch, commit, work);
    return { commit };
  });
}

/** Commits staged work without moving a branch. Null if nothing changed. */
async function commitStaged(repository: OpenRepository, work: StagedWork, message: string): Promise<string | null> {
  if (!work.isChanged || work.head === null) return null;
  const changed = await repository.list(['diff-tree', '-r', '-z', '--name-only', '--no-renames', work.head, work.tree]);
  await assertFiltersAllowed(repository, changed, readAllowed().allowFilters);
  return commitTree(repository, work, message, await authorIn(repository));
}

/** Moves the branch and the index to the commit. The files do not change. */
async function moveToStaged(repository: OpenRepository, branch: string, commit: string, { head }: StagedWork) {
  await moveBranch(repository, branch, commit, head ?? '', 'commit: by agent-mux');
  await repository.installIndex();
}

type StagedWork = Awaited<ReturnType<typeof stageWork>>;

/**
 * Merges the branch into the branch the worktree was created from. The merge is computed without touching any file and
 * is applied only without conflicts. A work tree that has the target branch checked out is updated if nothing in it
 * would be overwritten. `commitAs`: message for uncommitted work, which is committed only if the merge succeeds; null
 * refuses to merge while there is uncommitted work.
 */
export async function mergeWorktree(
  worktree: Worktree,
  message: string,
  { commitAs = null }: { commitAs?: string | null } = {},
): Promise<{ commit: string; into: string }> {
  assertNotRemoved(worktree);
  const { branch } = worktree;
  const location = await locateWorktree(worktree);
  await assertOnBranch(worktree, location);
  return useRepository(location, { writes: commitAs !== null }, async (repository) => {
    const work = await stageWork(repository);
    if (work.isChanged && commitAs === null)
      throw new DaemonError('WORKSPACE_ERROR', 'the worktree has uncommitted work', {
        hint: 'commit or discard it first',
      });
    const hint = nestedHint(work.nested);
    if (hint !== undefined)
      throw new DaemonError('WORKSPACE_ERROR', `a merge would leave out folders with their own repository`, { hint });
    const commit = commitAs === null ? null : await commitStaged(repository, work, commitAs);
    const merged = await mergeBranch(worktree, commit, message);
    if (commit !== null) await moveToStaged(repository, branch, commit, work);
    return merged;
  });
}

/** `commit`: merged instead of the tip of the worktree's branch. */
async function mergeBranch(
  { repository: folder, branch, baseBranch: into }: Worktree,
  commit: string | null,
  message: string,
): Promise<{ commit: string; into: string }> {
  const main = await locateRepository(folder);
  const merge = await useRepository(main, { writes: true }, async (repository) => {
    const ours = into === null ? null : await findCommit(repository, into);
    const theirs = commit ?? (await findCommit(repository, branch));
    if (into === null || ours === null || theirs === null)
      throw new DaemonError('WORKSPACE_ERROR', 'the worktree has no existing base branch', {
        hint: `merge ${branch} manually`,
      });
    const base = await repository.git(['merge-base', ours, theirs]);
    if (base === theirs)
      throw new DaemonError('WORKSPACE_ERROR', `${into} is already up to date`, { hint: 'nothing to merge' });
    const merged = base === ours ? theirs : await mergeCommits(repository, { ours, theirs, into, branch, message });
    return { ours, commit: merged, into };
  });
  const checkout = await findCheckout(main, merge.into);
  if (checkout) await followMerge(checkout, merge, branch);
  else
    await useRepository(main, { writes: true }, (repository) =>
      moveBranch(repository, merge.into, merge.commit, merge.ours, `merge ${branch}`),
    );
  return { commit: merge.commit, into: merge.into };
}

/**
 * Resets the worktree to its base commit. Saves all work since then, committed or not, to a ref, and what git cannot
 * store (folders with their own repository) to a folder. Ignored files are not touched.
 */
export async function discardWorktree(
  id: string,
  worktree: Worktree,
  saved: string,
): Promise<{ savedRef: string | null; savedPath: string | null }> {
  assertNotRemoved(worktree);
  const { base, branch } = worktree;
  const location = await locateWorktree(worktree);
  await assertOnBranch(worktree, location);
  return useRepository(location, { writes: true }, async (repository) => {
    const work = await stageWork(repository);
    if (!work.isChanged && work.head === base && work.nested.length === 0) return { savedRef: null, savedPath: null };
    const discarded = work.isChanged
      ? await commitTree(repository, work, `Discarded work of session ${id}`)
      : (work.head ?? base);
    // A separate ref for each, so that earlier discarded work stays.
    const savedRef = discarded === base ? null : `refs/agent-mux/discarded/${id}/${discarded.slice(0, 12)}`;
    if (savedRef !== null) await repository.git(['update-ref', savedRef, discarded]);
    const savedPath = await moveLeftovers(location, work.nested, join(saved, id));
    // The index has the current files, so only these are changed or removed.
    await repository.git(['read-tree', '-m', '-u', discarded, base], { limitMs: WHOLE_TREE_MS });
    await moveBranch(repository, branch, base, work.head ?? '', 'reset: work discarded by agent-mux');
    await repository.installIndex();
    return { savedRef, savedPath };
  });
}

async function mergeCommits(
  repository: OpenRepository,
  { ours, theirs, into, branch, message }: Record<'ours' | 'theirs' | 'into' | 'branch' | 'message', string>,
): Promise<string> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const merged = await repository.tryGit(args);
  const [tree = '', ...files] = merged.out
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
  if (merged.code !== 0 && files.length > 0)
    throw new DaemonError('WORKSPACE_ERROR', `${branch} conflicts with ${into} in ${files.join(', ')}`, {
      hint: `ask the agent to merge ${into} into its branch and resolve the conflicts, then merge again`,
    });
  if (merged.code !== 0) throw new DaemonError('WORKSPACE_ERROR', `git merge-tree: ${merged.error.slice(0, 500)}`);
  const parents = ['-p', ours, '-p', theirs];
  return repository.git(['commit-tree', tree.trim(), ...parents, '-m', message], { env: await authorIn(repository) });
}

/** Updates the work tree. Git changes nothing if any file would be overwritten. */
async function followMerge(
  checkout: GitLocation,
  { ours, commit, into }: { ours: string; commit: string; into: string },
  branch: string,
): Promise<void> {
  await useRepository(checkout, { writes: true }, async (repository) => {
    const changed = await repository.list(['diff-tree', '-r', '-z', '--name-only', '--no-renames', ours, commit]);
    await assertFiltersAllowed(repository, changed, readAllowed().allowFilters);
    // A file marked as unchanged would be overwritten without a check.
    await clearFlags(repository);
    await repository.tryGit(['update-index', '-q', '--refresh']);
    const moved = await repository.tryGit(['read-tree', '-m', '-u', ours, commit], { limitMs: WHOLE_TREE_MS });
    if (moved.code !== 0)
      throw new DaemonError(
        'WORKSPACE_ERROR',
        `${into} is checked out in ${checkout.top}, which cannot be updated: ${firstLine(moved.error)}`,
        { hint: 'commit or stash the changes there, then merge again' },
      );
    try {
      await repository.installIndex();
      await moveBranch(repository, into, commit, ours, `merge ${branch}: Fast-forward`);
    } catch (error) {
      await repository.tryGit(['read-tree', '-m', '-u', commit, ours], { limitMs: WHOLE_TREE_MS });
      await repository.installIndex().catch(() => {});
      throw error;
    }
  });
}

function nestedHint(nested: readonly string[]): string | undefined {
  if (nested.length === 0) return undefined;
  return `git cannot commit ${nested.slice(0, 5).join(', ')}: remove the .git in it, or move the folder away`;
}

async function moveBranch(repository: OpenRepository, branch: string, to: string, from: string, why: string) {
  await repository.git(['update-ref', '-m', why, `refs/heads/${branch}`, to, from]);
}

/** The user's name from the git configuration, if set. */
async function authorIn(repository: OpenRepository): Promise<Record<string, string>> {
  const named = await repository.tryGit(['-c', 'user.useConfigOnly=true', 'var', 'GIT_AUTHOR_IDENT']);
  const [, name, email] = /^(.*) <(.*)> \d+ [+-]\d+$/.exec(named.out.toString('utf8').trim()) ?? [];
  const actor =
    named.code === 0 && name && email ? { name, email } : { name: 'agent-mux', email: 'agent-mux@localhost' };
  return {
    GIT_AUTHOR_NAME: actor.name,
    GIT_AUTHOR_EMAIL: actor.email,
    GIT_COMMITTER_NAME: actor.name,
    GIT_COMMITTER_EMAIL: actor.email,
  };
}

/** The agent may have checked out another branch. */
async function assertOnBranch({ path, branch }: Worktree, { gitDir }: GitLocation): Promise<void> {
  if ((await branchOf(gitDir)) === branch) return;
  throw new DaemonError('WORKSPACE_ERROR', `the worktree is not on its branch ${branch}`, {
    hint: `run "git -C ${path} switch ${branch}"`,
  });
}

function assertNotRemoved({ removed, path }: Worktree): void {
  if (removed)
    throw new DaemonError('WORKSPACE_ERROR', `the worktree ${path} was removed`, { hint: 'restore the session first' });
}

async function findCommit(repository: OpenRepository, branch: string): Promise<string | null> {
  const found = await repository.tryGit(['rev-parse', '--verify', '-q', `refs/heads/${branch}^{commit}`]);
  return found.code === 0 ? found.out.toString('utf8').trim() : null;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
