import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Session, Workspace } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import {
  branchOf,
  findRepository,
  findWorktree,
  type GitLocation,
  listWorktrees,
  type OpenRepository,
} from '@agent-mux/core/git';
import { DaemonError } from '../daemon-error.ts';
import { useRepository, WHOLE_TREE_MS } from './repository.ts';

export type Worktree = Extract<Workspace, { kind: 'worktree' }>;

export interface WorktreeWish {
  branch?: string | undefined;
  base?: string | undefined;
  /** A commit whose files are put into the work tree as uncommitted work. */
  changes?: string | undefined;
  /** The branch that it is merged into. Default: the one that `base` names, or that is checked out. */
  baseBranch?: string | null | undefined;
}

/** A work tree with its own branch, so that several agents can work on one repository. */
export async function createWorktree(
  given: { cwd: string; id: string; folder: string },
  wish: WorktreeWish,
): Promise<{ workspace: Worktree; cwd: string }> {
  const { cwd, id, folder } = given;
  const found = await findRepository(cwd);
  if (!found)
    throw new DaemonError('WORKSPACE_ERROR', `${cwd} is not in a git repository, so it cannot have a worktree`, {
      hint: 'git init there, or leave --worktree out',
    });
  const branch = wish.branch ?? `amux/${id}`;
  const path = join(folder, id);
  const current = await branchOf(found.gitDir);
  const base = await useRepository(found, { writes: true }, async (repository) => {
    const commit = await readCommit(repository, wish.base ?? 'HEAD');
    await refuseBadBranch(repository, branch);
    await repository.git(['update-ref', `refs/heads/${branch}`, commit, '']);
    return commit;
  });
  try {
    await addWorktree({ common: found.common, path, branch, changes: wish.changes ?? null });
  } catch (error) {
    await dropUnfinished(given).catch(() => {});
    await deleteBranch(found, branch);
    throw error;
  }
  const workspace: Worktree = {
    kind: 'worktree',
    path,
    // Another worktree, such as that of a session, may be removed before this one.
    repository: (await findFirstWorkTree(found))?.top ?? found.top,
    branch,
    base,
    baseBranch: wish.baseBranch === undefined ? (wish.base ?? current) : wish.baseBranch,
    removed: false,
    savedRef: null,
  };
  const below = relative(found.top, await realpath(cwd));
  return { workspace, cwd: below === '' ? path : join(path, below) };
}

/**
 * Registers a work tree and checks its branch out. `git worktree add` is not used: it reads the settings of the repository. Until
 * it is complete it is locked, so that `git worktree prune` leaves it alone.
 */
async function addWorktree({
  common,
  path,
  branch,
  changes,
}: {
  common: string;
  path: string;
  branch: string;
  changes: string | null;
}): Promise<void> {
  await mkdir(path, { recursive: true });
  const top = await realpath(path);
  const gitDir = await createAdminFolder(common, basename(path));
  await mkdir(join(gitDir, 'logs'));
  await writeFile(join(gitDir, 'locked'), 'initializing\n');
  await writeFile(join(gitDir, 'gitdir'), `${join(top, '.git')}\n`);
  await writeFile(join(gitDir, 'commondir'), '../..\n');
  await writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`);
  await writeFile(join(top, '.git'), `gitdir: ${gitDir}\n`, { flag: 'wx' });
  await useRepository({ top, gitDir, common }, { writes: true }, async (repository) => {
    await repository.git(['read-tree', '--reset', '-u', 'HEAD'], { limitMs: WHOLE_TREE_MS });
    await repository.installIndex();
    if (changes !== null) await repository.git(['read-tree', '-m', '-u', 'HEAD', changes], { limitMs: WHOLE_TREE_MS });
  });
  await rm(join(gitDir, 'locked'));
}

async function createAdminFolder(common: string, name: string): Promise<string> {
  const root = join(await realpath(common), 'worktrees');
  await mkdir(root, { recursive: true });
  for (let at = 0; ; at += 1) {
    const folder = join(root, at === 0 ? name : `${name}${at}`);
    try {
      await mkdir(folder);
      return folder;
    } catch (error) {
      if (at > 100 || !messageOf(error).includes('EEXIST')) throw error;
    }
  }
}

/** What a daemon has left that died over making one, before an agent could work in it. */
export async function dropUnfinished({ cwd, id, folder }: { cwd: string; id: string; folder: string }): Promise<void> {
  const path = join(folder, id);
  const main = await findRepository(cwd);
  const mine = main && (await findWorktree(main.top, path));
  if (!main || !mine) return;
  const branch = await branchOf(mine.gitDir);
  await dropWorktree(mine, path);
  if (branch !== null) await deleteBranch(main, branch);
}

/** Its files and what the repository knows of it. Call it when all work is saved. */
export async function dropWorktree(location: Pick<GitLocation, 'gitDir' | 'common'> | undefined, path: string) {
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
  if (location && dirname(location.gitDir) === join(location.common, 'worktrees'))
    await rm(location.gitDir, { recursive: true, force: true, maxRetries: 3 });
}

async function deleteBranch(main: GitLocation, branch: string): Promise<void> {
  await useRepository(main, { writes: true }, (repository) =>
    repository.tryGit(['update-ref', '-d', `refs/heads/${branch}`]),
  );
}

/** A removed worktree is there again at the same path, with what was saved in it as uncommitted work. */
export async function bringBackWorktree(worktree: Worktree): Promise<Worktree> {
  if (!worktree.removed) return worktree;
  const { repository, path, branch, savedRef } = worktree;
  const { common } = await locateRepository(repository);
  await addWorktree({ common, path, branch, changes: savedRef });
  return { ...worktree, removed: false };
}

export async function locateRepository(repository: string): Promise<GitLocation> {
  const found = await findRepository(repository);
  if (found) return found;
  throw new DaemonError('WORKSPACE_ERROR', `the repository ${repository} is gone`, {
    hint: 'bring it back, or remove the session ("amux rm"): its files are saved',
  });
}

/** Where the repository of a worktree keeps what it knows of it; the worktree's own `.git` is not believed. */
export async function locateWorktree({ repository, path }: Pick<Worktree, 'repository' | 'path'>) {
  await locateRepository(repository);
  const found = await findWorktree(repository, path);
  if (found) return found;
  throw new DaemonError('WORKSPACE_ERROR', `the repository ${repository} does not know the worktree ${path}`, {
    hint: `run "git -C ${repository} worktree repair ${path}"`,
  });
}

/** The work tree that has a branch checked out. */
export async function findCheckout(repository: GitLocation, branch: string): Promise<GitLocation | null> {
  const { common } = repository;
  const first = await findFirstWorkTree(repository);
  if (first && (await branchOf(common)) === branch) return first;
  return (await listWorktrees(common)).find((one) => one.branch === branch) ?? null;
}

/** A repository of which only work trees are used has none of its own. */
async function findFirstWorkTree({ top, gitDir, common }: GitLocation): Promise<GitLocation | null> {
  if (gitDir === common) return { top, gitDir, common };
  const found = basename(common) === '.git' ? await findRepository(dirname(common)) : undefined;
  return found?.common === common ? found : null;
}

async function readCommit(repository: OpenRepository, name: string): Promise<string> {
  const args = ['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`];
  const found = await repository.tryGit(args);
  if (found.code === 0) return found.out.toString('utf8').trim();
  throw new DaemonError('WORKSPACE_ERROR', `${repository.top} has no commit "${name}" to begin from`, {
    hint: name === 'HEAD' ? 'commit something first' : 'git branch -a lists what there is',
  });
}

async function refuseBadBranch(repository: OpenRepository, branch: string): Promise<void> {
  const named = await repository.tryGit(['check-ref-format', '--branch', branch]);
  if (named.code !== 0 || branch.startsWith('-'))
    throw new DaemonError('WORKSPACE_ERROR', `"${branch}" is no name of a branch`, { hint: 'e.g. feature/login' });
  const taken = await repository.tryGit(['show-ref', '--verify', '-q', `refs/heads/${branch}`]);
  if (taken.code === 0)
    throw new DaemonError('WORKSPACE_ERROR', `there is a branch ${branch} already`, {
      hint: 'choose another name, or leave it out',
    });
}

export function worktreeOf({ workspace }: Pick<Session, 'workspace'>): Worktree | null {
  return workspace.kind === 'worktree' ? workspace : null;
}
