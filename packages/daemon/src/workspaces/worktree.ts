import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Session, Workspace } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import { git, tryGit } from './git.ts';

type Worktree = Extract<Workspace, { kind: 'worktree' }>;

export interface WorktreeWish {
  branch?: string | undefined;
  base?: string | undefined;
}

/** A work tree of its own on a branch of its own, so that several agents can work on one repository. */
export async function createWorktree(
  given: { cwd: string; id: string; folder: string },
  wish: WorktreeWish,
): Promise<{ workspace: Worktree; cwd: string }> {
  const { cwd, id, folder } = given;
  const top = await tryGit(cwd, ['rev-parse', '--show-toplevel']);
  if (!top.ok)
    throw new DaemonError('WORKSPACE_ERROR', `${cwd} is not in a git repository, so it cannot have a worktree`, {
      hint: 'git init there, or leave --worktree out',
    });
  const repository = top.stdout.trim();
  const base = await readCommit(repository, wish.base ?? 'HEAD');
  const branch = wish.branch ?? `amux/${id}`;
  await refuseBadBranch(repository, branch);
  const current = await tryGit(repository, ['symbolic-ref', '--short', '-q', 'HEAD']);
  const path = join(folder, id);
  await git(repository, ['worktree', 'add', '-q', '-b', branch, '--', path, base]);
  const below = relative(await realpath(repository), await realpath(cwd));
  const workspace: Worktree = {
    kind: 'worktree',
    path,
    repository,
    branch,
    base,
    baseBranch: wish.base ?? (current.ok ? current.stdout.trim() : null),
    removed: false,
    savedRef: null,
  };
  return { workspace, cwd: below === '' ? path : join(path, below) };
}

/** What a daemon has left that died over making one, before anybody could work in it. */
export async function dropUnfinished({ cwd, id, folder }: { cwd: string; id: string; folder: string }): Promise<void> {
  const path = join(folder, id);
  const listed = await tryGit(cwd, ['worktree', 'list', '--porcelain']);
  const mine = listed.stdout.split('\n\n').find((entry) => entry.split('\n')[0] === `worktree ${path}`);
  if (mine === undefined) return;
  const branch = /^branch refs\/heads\/(.+)$/m.exec(mine)?.[1];
  await git(cwd, ['worktree', 'remove', '--force', '--', path]);
  if (branch !== undefined) await git(cwd, ['branch', '-q', '-D', '--', branch]);
}

/**
 * Removes the work tree; the branch stays. Uncommitted work, new files too, is committed to a ref of its own before:
 * nothing that somebody made is ever thrown away by this.
 */
export async function removeWorktree(id: string, worktree: Worktree): Promise<Worktree> {
  if (worktree.removed) return worktree;
  const savedRef = await saveWork(id, worktree);
  await git(worktree.repository, ['worktree', 'remove', '--force', '--', worktree.path]);
  return { ...worktree, removed: true, savedRef };
}

/** What a removed worktree was, is there again at the same place, with what was saved in it as uncommitted work. */
export async function bringBackWorktree(worktree: Worktree): Promise<Worktree> {
  if (!worktree.removed) return worktree;
  const { repository, path, branch, savedRef } = worktree;
  await git(repository, ['worktree', 'add', '-q', '--', path, branch]);
  if (savedRef !== null) {
    await git(path, ['checkout', '-q', savedRef, '--', '.']);
    await git(path, ['reset', '-q']);
  }
  return { ...worktree, removed: false };
}

async function saveWork(id: string, worktree: Worktree): Promise<string | null> {
  const commit = await snapshotWork(worktree.path, `Uncommitted work of session ${id}`);
  if (commit === null) return null;
  const ref = `refs/agent-mux/${id}`;
  await git(worktree.repository, ['update-ref', ref, commit]);
  return ref;
}

/** A commit with all that is not committed, on no branch. Null: there is nothing, or somebody has removed the tree by hand. */
export async function snapshotWork(
  path: string,
  message: string,
  author: Readonly<Record<string, string>> = AUTHOR,
): Promise<string | null> {
  const status = await tryGit(path, ['status', '--porcelain', '--untracked-files=all']);
  if (!status.ok || status.stdout.trim() === '') return null;
  // An index of its own: what is staged stays as it was.
  const index = { GIT_INDEX_FILE: join(await git(path, ['rev-parse', '--absolute-git-dir']), 'agent-mux-index') };
  await git(path, ['read-tree', 'HEAD'], index);
  await git(path, ['add', '-A', '--', ':/'], index);
  const tree = await git(path, ['write-tree'], index);
  const head = await git(path, ['rev-parse', 'HEAD']);
  return git(path, ['commit-tree', tree, '-p', head, '-m', message], author);
}

const AUTHOR = {
  GIT_AUTHOR_NAME: 'agent-mux',
  GIT_AUTHOR_EMAIL: 'agent-mux@localhost',
  GIT_COMMITTER_NAME: 'agent-mux',
  GIT_COMMITTER_EMAIL: 'agent-mux@localhost',
};

async function readCommit(repository: string, name: string): Promise<string> {
  const found = await tryGit(repository, ['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`]);
  if (found.ok) return found.stdout.trim();
  throw new DaemonError('WORKSPACE_ERROR', `${repository} has no commit "${name}" to begin from`, {
    hint: name === 'HEAD' ? 'commit something first' : 'git branch -a lists what there is',
  });
}

async function refuseBadBranch(repository: string, branch: string): Promise<void> {
  const named = await tryGit(repository, ['check-ref-format', '--branch', branch]);
  if (!named.ok || branch.startsWith('-'))
    throw new DaemonError('WORKSPACE_ERROR', `"${branch}" is no name of a branch`, { hint: 'e.g. feature/login' });
  const taken = await tryGit(repository, ['show-ref', '--verify', '-q', `refs/heads/${branch}`]);
  if (taken.ok)
    throw new DaemonError('WORKSPACE_ERROR', `there is a branch ${branch} already`, {
      hint: 'choose another name, or leave it out',
    });
}

export function worktreeOf({ workspace }: Pick<Session, 'workspace'>): Worktree | null {
  return workspace.kind === 'worktree' ? workspace : null;
}
