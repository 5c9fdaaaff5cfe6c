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

export interface WorktreeOptions {
  branch?: string | undefined;
  base?: string | undefined;
  /** A commit whose files are checked out as uncommitted work. */
  changes?: string | undefined;
  /** The branch to merge into. Default: `base`, or the branch that is checked out. */
  baseBranch?: string | null | undefined;
}

/** Creates a work tree with its own branch, so that several agents can work on one repository. */
export async function createWorktree(
  options: { cwd: string; id: string; folder: string },
  worktreeOptions: WorktreeOptions,
): Promise<{ workspace: Worktree; cwd: string }> {
  const { cwd, id, folder } = options;
  const found = await findRepository(cwd);
  if (!found)
    throw new DaemonError('WORKSPACE_ERROR', `cannot create a worktree: ${cwd} is not in a git repository`, {
      hint: 'run "git init" there, or omit --worktree',
    });
  const branch = worktreeOptions.branch ?? `amux/${id}`;
  const path = join(folder, id);
  const current = await branchOf(found.gitDir);
  const base = await useRepository(found, { writes: true }, async (repository) => {
    const commit = await readCommit(repository, worktreeOptions.base ?? 'HEAD');
    await assertNewBranch(repository, branch);
    await repository.git(['update-ref', `refs/heads/${branch}`, commit, '']);
    return commit;
  });
  try {
    await addWorktree({ common: found.common, path, branch, changes: worktreeOptions.changes ?? null });
  } catch (error) {
    await dropUnfinished(options).catch(() => {});
    await deleteBranch(found, branch);
    throw error;
  }
  const workspace: Worktree = {
    kind: 'worktree',
    path,
    // Not another worktree, which may be removed before this one.
    repository: (await findFirstWorkTree(found))?.top ?? found.top,
    branch,
    base,
    baseBranch:
      worktreeOptions.baseBranch === undefined ? (worktreeOptions.base ?? current) : worktreeOptions.baseBranch,
    removed: false,
    savedRef: null,
  };
  const below = relative(found.top, await realpath(cwd));
  return { workspace, cwd: below === '' ? path : join(path, below) };
}

/**
 * Registers a work tree and checks out its branch. Does not use `git worktree add`, which reads the settings of the
 * repository. Locked until complete, so that `git worktree prune` leaves it alone.
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

/** Removes a worktree that a daemon was creating when it died, before an agent could use it. */
export async function dropUnfinished({ cwd, id, folder }: { cwd: string; id: string; folder: string }): Promise<void> {
  const path = join(folder, id);
  const main = await findRepository(cwd);
  const registered = main && (await findWorktree(main.top, path));
  if (!main || !registered) return;
  const branch = await branchOf(registered.gitDir);
  await dropWorktree(registered, path);
  if (branch !== null) await deleteBranch(main, branch);
}

/** Removes the files and the registration in the repository. Call it after all work is saved. */
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

/** Recreates a removed worktree at the same path, with its saved work as uncommitted work. */
export async function restoreWorktree(worktree: Worktree): Promise<Worktree> {
  if (!worktree.removed) return worktree;
  const { repository, path, branch, savedRef } = worktree;
  const { common } = await locateRepository(repository);
  await addWorktree({ common, path, branch, changes: savedRef });
  return { ...worktree, removed: false };
}

export async function locateRepository(repository: string): Promise<GitLocation> {
  const found = await findRepository(repository);
  if (found) return found;
  throw new DaemonError('WORKSPACE_ERROR', `repository not found: ${repository}`, {
    hint: 'restore it, or run "amux rm" to remove the session: its files are saved',
  });
}

/** The registration of a worktree in its repository. The worktree's own `.git` file is not trusted. */
export async function locateWorktree({ repository, path }: Pick<Worktree, 'repository' | 'path'>) {
  await locateRepository(repository);
  const found = await findWorktree(repository, path);
  if (found) return found;
  throw new DaemonError('WORKSPACE_ERROR', `the repository ${repository} does not know the worktree ${path}`, {
    hint: `run "git -C ${repository} worktree repair ${path}"`,
  });
}

/** The work tree that has the branch checked out. */
export async function findCheckout(repository: GitLocation, branch: string): Promise<GitLocation | null> {
  const { common } = repository;
  const first = await findFirstWorkTree(repository);
  if (first && (await branchOf(common)) === branch) return first;
  return (await listWorktrees(common)).find((one) => one.branch === branch) ?? null;
}

/** The main work tree, or null for a bare repository. */
async function findFirstWorkTree({ top, gitDir, common }: GitLocation): Promise<GitLocation | null> {
  if (gitDir === common) return { top, gitDir, common };
  const found = basename(common) === '.git' ? await findRepository(dirname(common)) : undefined;
  return found?.common === common ? found : null;
}

async function readCommit(repository: OpenRepository, name: string): Promise<string> {
  const args = ['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`];
  const found = await repository.tryGit(args);
  if (found.code === 0) return found.out.toString('utf8').trim();
  throw new DaemonError('WORKSPACE_ERROR', `${repository.top} has no commit "${name}"`, {
    hint: name === 'HEAD' ? 'commit something first' : 'run "git branch -a" to list branches',
  });
}

async function assertNewBranch(repository: OpenRepository, branch: string): Promise<void> {
  const named = await repository.tryGit(['check-ref-format', '--branch', branch]);
  if (named.code !== 0 || branch.startsWith('-'))
    throw new DaemonError('WORKSPACE_ERROR', `"${branch}" is not a valid branch name`, {
      hint: 'use a name such as feature/login',
    });
  const taken = await repository.tryGit(['show-ref', '--verify', '-q', `refs/heads/${branch}`]);
  if (taken.code === 0)
    throw new DaemonError('WORKSPACE_ERROR', `branch ${branch} already exists`, {
      hint: 'choose another name, or omit it',
    });
}

export function worktreeOf({ workspace }: Pick<Session, 'workspace'>): Worktree | null {
  return workspace.kind === 'worktree' ? workspace : null;
}
