import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { lookAt } from '../files/look.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { isWithin } from '../files/within.ts';

/** `.git`, `commondir` and `gitdir` hold one path each. */
const POINTER_BYTES = 64 * 1024;

/** One work tree and where git keeps what it knows of it. Found by reading files; git is not started. */
export interface GitLocation {
  /** The folder of the work tree. */
  top: string;
  /** What belongs to this work tree alone: HEAD and the index. */
  gitDir: string;
  /** What all work trees of the repository share: objects, refs, settings. */
  common: string;
}

/** The repository that a folder is in, found as git finds it. */
export async function findRepository(folder: string): Promise<GitLocation | undefined> {
  const start = await realpath(folder).catch(() => undefined);
  return start === undefined ? undefined : findAbove(start);
}

/** The repository that a file is in, or would be in: its folders need not exist. Links above it are not followed. */
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

/** Whether a folder has its own `.git`, of whatever kind. */
export async function isRepository(folder: string): Promise<boolean> {
  return (await lstat(join(folder, '.git')).catch(() => undefined)) !== undefined;
}

async function repositoryAt(top: string): Promise<GitLocation | undefined> {
  const dotGit = join(top, '.git');
  const stats = await lookAt(dotGit).catch(() => undefined);
  if (!stats) return undefined;
  const pointed = stats.isDirectory() ? undefined : /^gitdir: (.+?)\r?\n?$/.exec(await readPointer(dotGit))?.[1];
  if (!stats.isDirectory() && pointed === undefined) return undefined;
  const gitDir = pointed === undefined ? dotGit : resolve(top, pointed);
  if (!(await lookAt(join(gitDir, 'HEAD')).catch(() => undefined))) return undefined;
  return { top, gitDir, common: await commonOf(gitDir) };
}

async function commonOf(gitDir: string): Promise<string> {
  const shared = (await readPointer(join(gitDir, 'commondir'))).trim();
  return shared === '' ? gitDir : resolve(gitDir, shared);
}

/** All work trees of a repository beside its first one, with the branch that each has checked out. */
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
 * The work tree at a path, by what the repository says of it. The `.git` file in the work tree is not read: the agent that works
 * there can make it point anywhere.
 */
export async function findWorktree(repository: string, path: string): Promise<GitLocation | undefined> {
  const main = await findRepository(repository);
  if (!main) return undefined;
  const wanted = new Set([path, await realpath(path).catch(() => path)]);
  const found = (await listWorktrees(main.common)).find(({ top }) => wanted.has(top));
  return found && { top: path, gitDir: found.gitDir, common: found.common };
}

/** The branch that HEAD names; null where a commit is checked out without one. */
export async function branchOf(gitDir: string): Promise<string | null> {
  return /^ref: refs\/heads\/(.+)$/m.exec(await readPointer(join(gitDir, 'HEAD')))?.[1]?.trim() ?? null;
}

function readPointer(path: string): Promise<string> {
  return readRegularFile(path, { limit: POINTER_BYTES }).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
}
