import { join } from 'node:path';
import { branchOf, type GitLocation, type OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../daemon-error.ts';
import { readAllowed, useRepository, WHOLE_TREE_MS } from './repository.ts';
import { commitTree, moveLeftovers } from './save-work.ts';
import { refuseUnrunFilters, showFlagged, stageWork } from './work-files.ts';
import { findCheckout, locateRepository, locateWorktree, type Worktree } from './worktree.ts';

/** Everything that is not committed, new files too, becomes a commit on the worktree's branch. */
export async function commitWork(worktree: Worktree, message: string): Promise<{ commit: string }> {
  refuseRemoved(worktree);
  const location = await locateWorktree(worktree);
  await refuseOtherBranch(worktree, location);
  return useRepository(location, { writes: true }, async (repository) => {
    const work = await stageWork(repository);
    const commit = await commitStaged(repository, work, message);
    if (commit === null)
      throw new DaemonError('WORKSPACE_ERROR', 'there is nothing to commit', {
        hint: nestedHint(work.nested) ?? 'all of it is committed already',
      });
    await moveToStaged(repository, worktree.branch, commit, work);
    return { commit };
  });
}

/** A commit of what is staged, which no branch has yet; null: nothing is changed. */
async function commitStaged(repository: OpenRepository, work: StagedWork, message: string): Promise<string | null> {
  if (!work.isChanged || work.head === null) return null;
  const changed = await repository.list(['diff-tree', '-r', '-z', '--name-only', '--no-renames', work.head, work.tree]);
  await refuseUnrunFilters(repository, changed, readAllowed().allowFilters);
  return commitTree(repository, work, message, await authorIn(repository));
}

/** The files are as they were: the branch and the index follow. */
async function moveToStaged(repository: OpenRepository, branch: string, commit: string, { head }: StagedWork) {
  await moveBranch(repository, branch, commit, head ?? '', 'commit: by agent-mux');
  await repository.installIndex();
}

type StagedWork = Awaited<ReturnType<typeof stageWork>>;

/**
 * The branch goes into the one that the worktree began from. The merge is made without touching any file, and taken over only
 * where it has no conflict: a work tree that has that branch checked out follows where nothing in it would be overwritten.
 * `commitAs`: the message for uncommitted work, which is committed only if the merge succeeds; null refuses to merge while there
 * is uncommitted work.
 */
export async function mergeWork(
  worktree: Worktree,
  message: string,
  { commitAs = null }: { commitAs?: string | null } = {},
): Promise<{ commit: string; into: string }> {
  refuseRemoved(worktree);
  const { branch } = worktree;
  const location = await locateWorktree(worktree);
  await refuseOtherBranch(worktree, location);
  return useRepository(location, { writes: commitAs !== null }, async (repository) => {
    const work = await stageWork(repository);
    if (work.isChanged && commitAs === null)
      throw new DaemonError('WORKSPACE_ERROR', 'there is uncommitted work', { hint: 'commit or discard it first' });
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
      throw new DaemonError('WORKSPACE_ERROR', 'the worktree did not begin from a branch that is still there', {
        hint: `merge ${branch} by hand`,
      });
    const base = await repository.git(['merge-base', ours, theirs]);
    if (base === theirs)
      throw new DaemonError('WORKSPACE_ERROR', `${into} has all of it already`, { hint: 'there is nothing to merge' });
    const merged = base === ours ? theirs : await joinCommits(repository, { ours, theirs, into, branch, message });
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
 * As it began. All that was made since, committed or not, is saved: to a ref, and what git does not store (folders with their own
 * repository) to a folder. Ignored files stay where they are.
 */
export async function discardWork(
  id: string,
  worktree: Worktree,
  saved: string,
): Promise<{ savedRef: string | null; savedPath: string | null }> {
  refuseRemoved(worktree);
  const { base, branch } = worktree;
  const location = await locateWorktree(worktree);
  await refuseOtherBranch(worktree, location);
  return useRepository(location, { writes: true }, async (repository) => {
    const work = await stageWork(repository);
    if (!work.isChanged && work.head === base && work.nested.length === 0) return { savedRef: null, savedPath: null };
    const kept = work.isChanged
      ? await commitTree(repository, work, `Discarded work of session ${id}`)
      : (work.head ?? base);
    // A name for each: what was discarded before stays too.
    const savedRef = kept === base ? null : `refs/agent-mux/discarded/${id}/${kept.slice(0, 12)}`;
    if (savedRef !== null) await repository.git(['update-ref', savedRef, kept]);
    const savedPath = await moveLeftovers(location, work.nested, join(saved, id));
    // The index holds all files as they are now, so that nothing but them is changed or removed.
    await repository.git(['read-tree', '-m', '-u', kept, base], { limitMs: WHOLE_TREE_MS });
    await moveBranch(repository, branch, base, work.head ?? '', 'reset: work discarded by agent-mux');
    await repository.installIndex();
    return { savedRef, savedPath };
  });
}

async function joinCommits(
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
    throw new DaemonError('WORKSPACE_ERROR', `${branch} and ${into} change the same lines: ${files.join(', ')}`, {
      hint: `ask the agent to merge ${into} into its branch and to solve the conflicts, then merge again`,
    });
  if (merged.code !== 0) throw new DaemonError('WORKSPACE_ERROR', `git merge-tree: ${merged.error.slice(0, 500)}`);
  const parents = ['-p', ours, '-p', theirs];
  return repository.git(['commit-tree', tree.trim(), ...parents, '-m', message], { env: await authorIn(repository) });
}

/** Git compares before it changes anything: a file that would be overwritten refuses all of it. */
async function followMerge(
  checkout: GitLocation,
  { ours, commit, into }: { ours: string; commit: string; into: string },
  branch: string,
): Promise<void> {
  await useRepository(checkout, { writes: true }, async (repository) => {
    const changed = await repository.list(['diff-tree', '-r', '-z', '--name-only', '--no-renames', ours, commit]);
    await refuseUnrunFilters(repository, changed, readAllowed().allowFilters);
    // A file that is marked as unchanged would be overwritten without a look at it.
    await showFlagged(repository);
    await repository.tryGit(['update-index', '-q', '--refresh']);
    const moved = await repository.tryGit(['read-tree', '-m', '-u', ours, commit], { limitMs: WHOLE_TREE_MS });
    if (moved.code !== 0)
      throw new DaemonError(
        'WORKSPACE_ERROR',
        `${into} is checked out in ${checkout.top}, and cannot follow: ${firstLine(moved.error)}`,
        { hint: 'commit or stash what is changed there, then merge again' },
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

/** The person's own name, where git knows it: it is their commit. */
async function authorIn(repository: OpenRepository): Promise<Record<string, string>> {
  const named = await repository.tryGit(['-c', 'user.useConfigOnly=true', 'var', 'GIT_AUTHOR_IDENT']);
  const [, name, email] = /^(.*) <(.*)> \d+ [+-]\d+$/.exec(named.out.toString('utf8').trim()) ?? [];
  const who = named.code === 0 && name && email ? { name, email } : { name: 'agent-mux', email: 'agent-mux@localhost' };
  return {
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
  };
}

/** The agent may have checked out something else: then its branch is not what the folder shows. */
async function refuseOtherBranch({ path, branch }: Worktree, { gitDir }: GitLocation): Promise<void> {
  if ((await branchOf(gitDir)) === branch) return;
  throw new DaemonError('WORKSPACE_ERROR', `the worktree is not on its branch ${branch}`, {
    hint: `git -C ${path} switch ${branch}`,
  });
}

function refuseRemoved({ removed, path }: Worktree): void {
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
