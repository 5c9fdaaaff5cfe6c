import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isMissing, readRegularFile, unexpectedKind } from '../files/regular-file.ts';
import { GitError } from './git-error.ts';
import type { GitLocation } from './locate.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Maximum number of entries to check. A larger repository is left to the time limit of git. */
const MAX_ENTRIES = 300_000;
/** Same limit as git. */
const DEEPEST_ALTERNATES = 5;

/** Files that git reads whole, with their maximum size. */
const FILES_OF_WORKTREE: Readonly<Record<string, number>> = {
  HEAD: 64 * KIB,
  'config.worktree': 4 * MIB,
  commondir: 64 * KIB,
  gitdir: 64 * KIB,
  index: 256 * MIB,
};
const FILES_OF_REPOSITORY: Readonly<Record<string, number>> = {
  config: 4 * MIB,
  'packed-refs': 512 * MIB,
  shallow: 64 * MIB,
};
/** Files in the work tree. Git would block on a pipe in their place. */
const FILES_OF_TOP: Readonly<Record<string, number>> = {
  '.gitignore': 16 * MIB,
  '.gitattributes': 16 * MIB,
  '.gitmodules': 16 * MIB,
};
/** Folders whose entries git opens, with the maximum size of each. */
const FOLDERS: Readonly<Record<string, number>> = {
  info: 16 * MIB,
  refs: 64 * KIB,
  reftable: 512 * MIB,
  logs: 512 * MIB,
};
/** What git opens in an object folder; an alternate may be any folder, up to the root of the machine. */
const OBJECT_FOLDER = /^(?:[0-9a-f]{2}|pack|info)$/;

/**
 * Rejects a repository in which git would block on something that is not a file, or read something far too large. Later
 * changes are covered by the time limit of git.
 */
export async function assertPlainFiles({ top, gitDir, common }: GitLocation): Promise<void> {
  const budget = { left: MAX_ENTRIES };
  await Promise.all([
    ...Object.entries(FILES_OF_TOP).map(([name, limit]) => assertFile(join(top, name), limit)),
    ...Object.entries(FILES_OF_WORKTREE).map(([name, limit]) => assertFile(join(gitDir, name), limit)),
    ...Object.entries(FILES_OF_REPOSITORY).map(([name, limit]) => assertFile(join(common, name), limit)),
  ]);
  for (const name of await readdir(gitDir)) {
    if (name.startsWith('sharedindex.')) await assertFile(join(gitDir, name), FILES_OF_WORKTREE.index!);
  }
  for (const [name, limit] of Object.entries(FOLDERS)) await assertFolder(join(common, name), limit, budget);
  if (gitDir !== common) await assertFolder(join(gitDir, 'logs'), FOLDERS.logs!, budget);
  await assertObjects(join(common, 'objects'), budget, 0);
}

async function assertFolder(folder: string, limit: number, budget: { left: number }): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    if (isMissing(error)) return [];
    throw new GitError(`${folder} cannot be read`, { cause: error });
  });
  for (const entry of entries) {
    budget.left -= 1;
    if (budget.left < 0) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await assertFolder(path, limit, budget);
    else if (entry.isSymbolicLink() || !entry.isFile() || limit < Number.POSITIVE_INFINITY)
      await assertFile(path, limit, (target) => assertFolder(target, limit, budget));
  }
}

async function assertFile(path: string, limit: number, onFolder?: (path: string) => Promise<void>): Promise<void> {
  const stats = await lookAt(path);
  if (!stats) return;
  // A link to a folder is not followed: it could be a cycle. Its content is left to the time limit of git.
  if (stats.isDirectory() && onFolder) return (await lstat(path)).isSymbolicLink() ? undefined : onFolder(path);
  const kind = unexpectedKind(stats);
  if (kind !== undefined)
    throw new GitError(`${path} is ${kind}, not a file`, { hint: 'remove it, then run the command again' });
  if (stats.size > limit)
    throw new GitError(`${path} has ${stats.size} bytes; the limit is ${limit}`, {
      hint: 'check that file: git never creates one that large',
    });
}

async function lookAt(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw new GitError(`${path} cannot be read`, { cause: error });
  });
}

/** Objects may be in further folders, which are listed in a file. */
async function assertObjects(objects: string, budget: { left: number }, depth: number): Promise<void> {
  if (depth > DEEPEST_ALTERNATES) return;
  for (const name of await readdir(objects).catch(() => []))
    if (OBJECT_FOLDER.test(name)) await assertFolder(join(objects, name), Number.POSITIVE_INFINITY, budget);
  const text = await readRegularFile(join(objects, 'info', 'alternates'), { limit: MIB }).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
  for (const line of text.split('\n')) {
    if (line !== '' && !line.startsWith('#')) await assertObjects(resolve(objects, line), budget, depth + 1);
  }
}
