import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import { statFile } from '../files/stat.ts';
import { isWithin } from '../files/within.ts';

/** `.git`, `commondir` and `gitdir` hold one path each. */
const POINTER_BYTES = 64 * 1024;

/** One work tree and its git directories. Found by reading files, without starting git. */
export interface GitLocation {
  /** The folder of the work tree. */
  top: string;
  /** State of this work tree: HEAD and the index. */
  gitDir: string;
  /** State shared by all work trees of the repository: objects, refs, settings. */
  common: string;
}

/** The repository of a folder, found like git does. */
export async function findRepository(folder: string): Promise<GitLocation | undefined> {
  const start = await realpath(folder).catch(() => undefined);
  return start === undefined ? undefined : findAbove(start);
}

/** The repository of a file that may not exist yet. Links above it are not followed. */
export function findRepositoryOfFile(file: string): Promise<GitLocation | undefined> {
  return findAbove(dirname(file));
}

async function findAbove(start: string): Promise<GitLocation | undefined> {
  for (let top = start; ; top = dirname(top)) {
    const found = await repositoryAt(top);
    // A folder within `.git` is not in the work tree.
    if (found) return isWithin(join(top, '.git'), start) ? undefined : found;
    if (dirname(top) === top) return undefined;
  }
}

/** Whether a folder has its own `.git` of any kind. */
export async function isRepository(folder: string): Promise<boolean> {
  return (await lstat(join(folder, '.git')).catch(() => undefined)) !== undefined;
}

async function repositoryAt(top: string): Promise<GitLocation | undefined> {
  const dotGit = join(top, '.git');
  const stats = await statFile(dotGit).catch(() => undefined);
  if (!stats) return undefined;
  const pointed = stats.isDirectory() ? undefined : /^gitdir: (.+?)\r?\n?$/.exec(await readPointer(dotGit))?.[1];
  if (!stats.isDirectory() && pointed === undefined) return undefined;
  const gitDir = pointed === undefined ? dotGit : resolve(top, pointed);
  if (!(await statFile(join(gitDir, 'HEAD')).catch(() => undefined))) return undefined;
  return { top, gitDir, common: await commonOf(gitDir) };
}

async function commonOf(gitDir: string): Promise<string> {
  const shared = (await readPointer(join(gitDir, 'commondir'))).trim();
  return shared === '' ? gitDir : resolve(gitDir, shared);
}

/** All linked work trees of a repository, with the branch checked out in each. */
export async function listWorktrees(common: string): Promise<(GitLocation & { branch: string | null })[]> {
  const root = join(common, 'worktrees');
  const names = await readdir(root).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const gitDir = join(root, name);
      const dotGit = (await readPointer(join(gitDir, 'gitdir'))).trim();
      if (basename(dotGit) !== '.git') return [];
      return [{ top: dirname(resolve(gitDir, dotGit)), gitDir, common, branch: await branchOf(gitDir) }];
    }),
  );
  return found.flat();
}

/**
 * The work tree at a path, according to the repository. The `.git` file in the work tree is not read: the agent that
 * works there can make it point anywhere.
 */
export async function findWorktree(repository: string, path: string): Promise<GitLocation | undefined> {
  const main = await findRepository(repository);
  if (!main) return undefined;
  const wanted = new Set([path, await realpath(path).catch(() => path)]);
  const found = (await listWorktrees(main.common)).find(({ top }) => wanted.has(top));
  return found && { top: path, gitDir: found.gitDir, common: found.common };
}

/** The branch of HEAD; null if detached. */
export async function branchOf(gitDir: string): Promise<string | null> {
  return /^ref: refs\/heads\/(.+)$/m.exec(await readPointer(join(gitDir, 'HEAD')))?.[1]?.trim() ?? null;
}

function readPointer(path: string): Promise<string> {
  return readRegularFile(path, { limit: POINTER_BYTES }).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
}
