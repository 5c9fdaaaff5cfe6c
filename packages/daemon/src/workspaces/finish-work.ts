import type { Workspace } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import { git, tryGit } from './git.ts';
import { snapshotWork } from './worktree.ts';

type Worktree = Extract<Workspace, { kind: 'worktree' }>;

/** Everything that is not committed, new files too, becomes a commit on the worktree's branch. */
export async function commitWork(worktree: Worktree, message: string): Promise<{ commit: string }> {
  refuseRemoved(worktree);
  await refuseOtherBranch(worktree);
  const { path, branch } = worktree;
  const head = await git(path, ['rev-parse', 'HEAD']);
  const commit = await snapshotWork(path, message, await authorIn(path));
  if (commit === null)
    throw new DaemonError('WORKSPACE_ERROR', 'there is nothing to commit', { hint: 'all of it is committed already' });
  await git(path, ['update-ref', '-m', 'commit: by agent-mux', `refs/heads/${branch}`, commit, head]);
  // The files are as they were: only the index has to follow.
  await git(path, ['reset', '-q']);
  return { commit };
}

/**
 * The branch goes into the one that the worktree began from. The merge is made without touching any file, and taken over only
 * where it has no conflict: a work tree that has that branch checked out follows by a fast-forward, which git refuses where it
 * would overwrite something.
 */
export async function mergeWork(worktree: Worktree, message: string): Promise<{ commit: string; into: string }> {
  refuseRemoved(worktree);
  const { repository, path, branch, baseBranch: into } = worktree;
  if (into === null || !(await hasBranch(repository, into)))
    throw new DaemonError('WORKSPACE_ERROR', 'the worktree did not begin from a branch that is still there', {
      hint: `merge ${branch} by hand`,
    });
  await refuseOtherBranch(worktree);
  if ((await git(path, ['status', '--porcelain', '--untracked-files=all'])) !== '')
    throw new DaemonError('WORKSPACE_ERROR', 'there is uncommitted work', { hint: 'commit or discard it first' });
  const [ours, theirs] = [await commitOf(repository, into), await commitOf(repository, branch)];
  const base = await git(repository, ['merge-base', ours, theirs]);
  if (base === theirs)
    throw new DaemonError('WORKSPACE_ERROR', `${into} has all of it already`, { hint: 'there is nothing to merge' });
  const commit = base === ours ? theirs : await joinCommits(repository, { ours, theirs, into, branch, message });
  const place = await placeOf(repository, into);
  if (place === null)
    await git(repository, ['update-ref', '-m', `merge ${branch}`, `refs/heads/${into}`, commit, ours]);
  else await fastForward(place, into, commit);
  return { commit, into };
}

/** As it began. All that was made since, committed or not, is kept on a ref of its own. */
export async function discardWork(id: string, worktree: Worktree): Promise<{ savedRef: string | null }> {
  refuseRemoved(worktree);
  const { path, repository, base } = worktree;
  await refuseOtherBranch(worktree);
  const head = await git(path, ['rev-parse', 'HEAD']);
  const work = await snapshotWork(path, `Discarded work of session ${id}`);
  if (work === null && head === base) return { savedRef: null };
  const kept = work ?? head;
  // A name for each: what was discarded before stays too.
  const savedRef = `refs/agent-mux/discarded/${id}/${kept.slice(0, 12)}`;
  await git(repository, ['update-ref', savedRef, kept]);
  await git(path, ['reset', '-q', '--hard', base]);
  await git(path, ['clean', '-q', '-f', '-d', '--', ':/']);
  return { savedRef };
}

async function joinCommits(
  repository: string,
  { ours, theirs, into, branch, message }: Record<'ours' | 'theirs' | 'into' | 'branch' | 'message', string>,
): Promise<string> {
  const merged = await tryGit(repository, ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs]);
  const [tree = '', ...files] = merged.stdout.trim().split('\n');
  if (!merged.ok && files.length > 0)
    throw new DaemonError('WORKSPACE_ERROR', `${branch} and ${into} change the same lines: ${files.join(', ')}`, {
      hint: `ask the agent to merge ${into} into its branch and to solve the conflicts, then merge again`,
    });
  if (!merged.ok) throw new DaemonError('WORKSPACE_ERROR', `git merge-tree: ${merged.stderr.trim().slice(0, 500)}`);
  const parents = ['-p', ours, '-p', theirs];
  return git(repository, ['commit-tree', tree, ...parents, '-m', message], await authorIn(repository));
}

async function fastForward(place: string, into: string, commit: string): Promise<void> {
  const moved = await tryGit(place, ['merge', '-q', '--ff-only', '--no-autostash', commit]);
  if (moved.ok) return;
  throw new DaemonError(
    'WORKSPACE_ERROR',
    `${into} is checked out in ${place}, and cannot follow: ${firstLine(moved.stderr)}`,
    {
      hint: 'commit or stash what is changed there, then merge again',
    },
  );
}

/** The work tree that has this branch checked out. */
async function placeOf(repository: string, branch: string): Promise<string | null> {
  const listed = await git(repository, ['worktree', 'list', '--porcelain', '-z']);
  for (const record of listed.split('\0\0')) {
    const lines = record.split('\0');
    if (lines.includes(`branch refs/heads/${branch}`))
      return lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length) ?? null;
  }
  return null;
}

/** The person's own name, where git knows it: it is their commit. */
async function authorIn(path: string): Promise<Record<string, string>> {
  const named = await tryGit(path, ['-c', 'user.useConfigOnly=true', 'var', 'GIT_AUTHOR_IDENT']);
  const [, name, email] = /^(.*) <(.*)> \d+ [+-]\d+$/.exec(named.stdout.trim()) ?? [];
  const who = named.ok && name && email ? { name, email } : { name: 'agent-mux', email: 'agent-mux@localhost' };
  return {
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
  };
}

/** The agent may have checked out something else: then its branch is not what the folder shows. */
async function refuseOtherBranch({ path, branch }: Worktree): Promise<void> {
  const current = await tryGit(path, ['symbolic-ref', '--short', '-q', 'HEAD']);
  if (current.ok && current.stdout.trim() === branch) return;
  throw new DaemonError('WORKSPACE_ERROR', `the worktree is not on its branch ${branch}`, {
    hint: `git -C ${path} switch ${branch}`,
  });
}

function refuseRemoved({ removed, path }: Worktree): void {
  if (removed)
    throw new DaemonError('WORKSPACE_ERROR', `the worktree ${path} was removed`, { hint: 'restore the session first' });
}

async function hasBranch(repository: string, branch: string): Promise<boolean> {
  return (await tryGit(repository, ['show-ref', '--verify', '-q', `refs/heads/${branch}`])).ok;
}

function commitOf(repository: string, branch: string): Promise<string> {
  return git(repository, ['rev-parse', '--verify', '-q', `refs/heads/${branch}^{commit}`]);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
