import { lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findWorktree, type GitLocation, type OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../daemon-error.ts';
import { useRepository } from './repository.ts';
import { listIgnored, listSubmodules, OWN_FILES, type StagedWork, stageWork } from './work-files.ts';
import { dropWorktree, locateWorktree, type Worktree } from './worktree.ts';

const AUTHOR = {
  GIT_AUTHOR_NAME: 'agent-mux',
  GIT_AUTHOR_EMAIL: 'agent-mux@localhost',
  GIT_COMMITTER_NAME: 'agent-mux',
  GIT_COMMITTER_EMAIL: 'agent-mux@localhost',
};
/** Folders that tools recreate. Not saved if ignored. */
const REBUILT_NAMES: ReadonlySet<string> = new Set(['node_modules', '__pycache__']);
/** Files that mark such folders: https://bford.info/cachedir/ and Python virtual environments. */
const REBUILT_MARKS = ['CACHEDIR.TAG', 'pyvenv.cfg'];

/** Where the work of a removed worktree is stored. */
export interface SavedWork {
  /** A commit with changed and new files. Null if there were none. */
  savedRef: string | null;
  /** A folder with what git cannot store: ignored files and nested repositories. Null if there were none. */
  savedPath: string | null;
}

/**
 * Removes a worktree but not its branch. No work is lost: changed and new files are committed to a ref, and what git
 * cannot store is moved to `saved`. If the repository is missing or unreadable, all files are moved there.
 */
export async function removeWorktree(id: string, worktree: Worktree, saved: string): Promise<Worktree & SavedWork> {
  if (worktree.removed) return { ...worktree, savedPath: worktree.savedPath ?? null };
  const { path, repository } = worktree;
  const target = join(saved, id);
  if (!(await isFolder(path))) {
    await dropWorktree(await findWorktree(repository, path), path);
    return { ...worktree, removed: true, savedRef: null, savedPath: null };
  }
  let work: SavedWork;
  try {
    work = await saveWork(id, worktree, target);
  } catch (error) {
    if (!(error instanceof DaemonError)) throw error;
    work = { savedRef: null, savedPath: await moveInto(path, target) };
  }
  await dropWorktree(await findWorktree(repository, path), path);
  return { ...worktree, removed: true, ...work };
}

async function saveWork(id: string, worktree: Worktree, target: string): Promise<SavedWork> {
  const location = await locateWorktree(worktree);
  return useRepository(location, { writes: true }, async (repository) => {
    const work = await stageWork(repository);
    const leftovers = [...work.nested, ...(await listSubmodules(repository)), ...(await findIgnoredWork(repository))];
    const savedRef = await saveCommit(id, repository, work, worktree);
    const moved = await moveLeftovers(location, leftovers, target);
    return { savedRef, savedPath: moved };
  });
}

/** Also saves commits that are on no branch: the agent may have left its branch. */
async function saveCommit(id: string, repository: OpenRepository, work: StagedWork, { branch, base }: Worktree) {
  const isKnown = async (commit: string) =>
    commit === base ||
    (await repository.git(['for-each-ref', '--count=1', '--contains', commit, 'refs/heads', 'refs/tags'])) !== '';
  if (!work.isChanged && (work.head === null || (await isKnown(work.head)))) return null;
  const commit = work.isChanged
    ? await commitTree(repository, work, `Uncommitted work of session ${id} on ${branch}`)
    : work.head!;
  const ref = `refs/agent-mux/${id}`;
  await repository.git(['update-ref', ref, commit]);
  return ref;
}

/** Commits staged work on top of HEAD without moving a branch. */
export function commitTree(
  repository: OpenRepository,
  { tree, head }: Pick<StagedWork, 'tree' | 'head'>,
  message: string,
  author: Readonly<Record<string, string>> = AUTHOR,
): Promise<string> {
  const parents = head === null ? [] : ['-p', head];
  return repository.git(['commit-tree', tree, ...parents, '-m', message], { env: author });
}

/** Commits all uncommitted work on no branch. Null if there is none. */
export async function snapshotWork(repository: OpenRepository, message: string): Promise<string | null> {
  const work = await stageWork(repository);
  return work.isChanged ? commitTree(repository, work, message) : null;
}

/** Lists ignored files, and folders that are ignored completely. */
async function findIgnoredWork(repository: OpenRepository): Promise<string[]> {
  const found: string[] = [];
  for (const name of await listIgnored(repository)) {
    const path = name.replace(/\/$/, '');
    if (!OWN_FILES.has(path) && !(await isRebuilt(join(repository.top, path)))) found.push(path);
  }
  return found;
}

async function isRebuilt(path: string): Promise<boolean> {
  if (!(await isFolder(path))) return false;
  if (basename(path) === '.agent-mux')
    return (await readdir(path)).every((name) => OWN_FILES.has(`.agent-mux/${name}`));
  if (REBUILT_NAMES.has(basename(path))) return true;
  const marks = await Promise.all(REBUILT_MARKS.map((mark) => stat(join(path, mark)).catch(() => undefined)));
  return marks.some((mark) => mark?.isFile());
}

/** Also moves the commits of submodules, which are in the worktree's part of the repository. */
export async function moveLeftovers({ top, gitDir }: GitLocation, paths: readonly string[], target: string) {
  if (paths.length === 0) return null;
  const folder = await createFreeFolder(target);
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await rename(join(top, path), join(folder, path));
  }
  if (await isFolder(join(gitDir, 'modules'))) await rename(join(gitDir, 'modules'), join(folder, '.git-modules'));
  return folder;
}

async function moveInto(path: string, target: string): Promise<string | null> {
  const names = (await readdir(path)).filter((name) => name !== '.git');
  const dotGit = await lstat(join(path, '.git')).catch(() => undefined);
  // A `.git` folder may be the agent's own repository; a file only points to one.
  if (dotGit?.isDirectory()) names.push('.git');
  if (names.length === 0) return null;
  const folder = await createFreeFolder(target);
  await rm(folder, { recursive: true });
  await rename(path, folder);
  return folder;
}

/** A session may be removed, restored and removed again, so the folder may already exist. */
async function createFreeFolder(target: string): Promise<string> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  for (let at = 1; ; at += 1) {
    const folder = at === 1 ? target : `${target}-${at}`;
    const made = await mkdir(folder, { mode: 0o700 }).then(
      () => true,
      () => false,
    );
    if (made) return folder;
    if (at > 1000) throw new DaemonError('WORKSPACE_ERROR', `cannot create ${target}`);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}
