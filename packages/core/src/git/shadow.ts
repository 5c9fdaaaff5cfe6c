import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMissing, readRegularFile } from '../files/regular-file.ts';
import { GitError } from './git-error.ts';
import { assertPlainFiles } from './inspect.ts';
import type { GitLocation } from './locate.ts';
import { readFacts } from './settings.ts';

/** Maximum size of an index copy. The index of a repository with half a million files has 60 MB. */
const INDEX_BYTES = 256 * 1024 * 1024;
/** Maximum number of shared index files. Git removes old ones. */
const MAX_PARTS = 1000;
const INFO_BYTES = 16 * 1024 * 1024;
const HEAD_TEXT = /^(?:ref: refs\/\S+|[0-9a-f]{40,64})\s*$/;

export interface ShadowOptions {
  /** True: new objects are written into the repository. False: they are deleted with the shadow. */
  writes: boolean;
  /** Names of filters in the user's git settings that may run (git-lfs). */
  allowFilters?: readonly string[];
  /** False: the user's settings are not read, for commands that depend only on the index. Default true. */
  readsUser?: boolean;
}

/** A git directory that exposes a repository's content with our settings. */
export interface Shadow {
  folder: string;
  env: Readonly<Record<string, string>>;
  /** A copy of the repository's index, so that files need not be read again. */
  index: string;
  isSparse: boolean;
  /** Names of filters in the user's or the repository's settings, allowed or not. */
  filters: readonly string[];
}

/**
 * The settings of a repository can make git run any program: hooks, filters, drivers, monitors, transports. Names of
 * filters and drivers are arbitrary, so they cannot all be overridden. Git therefore never sees them: it runs in a
 * temporary git directory with our settings, copies of files that may be forged (HEAD, index, info), and links to
 * objects and refs.
 */
export async function withShadow<Result>(
  location: GitLocation,
  { writes, allowFilters = [], readsUser = true }: ShadowOptions,
  use: (shadow: Shadow) => Promise<Result>,
): Promise<Result> {
  await assertPlainFiles(location);
  const folder = await mkdtemp(join(tmpdir(), 'amux-git-'));
  try {
    const { gitDir, common, top } = location;
    const { config, isReftable, isSparse, filters } = await readFacts(location, folder, { allowFilters, readsUser });
    await writeFile(join(folder, 'config'), config);
    await writeFile(join(folder, 'HEAD'), await readHead(gitDir));
    await Promise.all([mkdir(join(folder, 'info')), mkdir(join(folder, 'logs'))]);
    if (!writes) await mkdir(join(folder, 'objects'));
    await linkFolder(join(common, 'refs'), join(folder, 'refs'));
    await symlink(join(common, 'packed-refs'), join(folder, 'packed-refs'));
    if (await isThere(join(common, 'logs', 'refs')))
      await linkFolder(join(common, 'logs', 'refs'), join(folder, 'logs', 'refs'));
    if (await isThere(join(gitDir, 'logs'))) await symlink(join(gitDir, 'logs', 'HEAD'), join(folder, 'logs', 'HEAD'));
    if (isReftable) await linkFolder(join(common, 'reftable'), join(folder, 'reftable'));
    if (allowFilters.includes('lfs')) await linkFolder(join(common, 'lfs'), join(folder, 'lfs'));
    for (const name of ['info/exclude', 'info/attributes', 'shallow'])
      await copySmall(join(common, name), join(folder, name));
    await copyIndex(gitDir, folder);
    const objects = join(common, 'objects');
    return await use({
      folder,
      index: join(folder, 'index'),
      isSparse,
      filters,
      env: {
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_ATTR_NOSYSTEM: '1',
        GIT_DIR: folder,
        GIT_WORK_TREE: top,
        ...(writes ? { GIT_OBJECT_DIRECTORY: objects } : { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }),
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A junction on Windows, where links to folders need special privileges. */
async function linkFolder(target: string, path: string): Promise<void> {
  await symlink(target, path, 'junction');
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoreAbsence)) !== undefined;
}

async function readHead(gitDir: string): Promise<string> {
  const head = (await readRegularFile(join(gitDir, 'HEAD'), { limit: 64 * 1024 })).toString('utf8');
  if (HEAD_TEXT.test(head)) return head;
  throw new GitError(`${join(gitDir, 'HEAD')} names neither a branch nor a commit`);
}

async function copySmall(from: string, to: string): Promise<void> {
  const bytes = await readRegularFile(from, { limit: INFO_BYTES }).catch(ignoreAbsence);
  if (bytes) await writeFile(to, bytes);
}

/**
 * Keeps the timestamp: git compares a file that changed in the second the index was written only if the index is not
 * newer. A split index has a second file next to it.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const path = join(from, 'index');
  const bytes = await readRegularFile(path, { limit: INDEX_BYTES }).catch(ignoreAbsence);
  const times = await stat(path).catch(ignoreAbsence);
  if (!bytes || !times) return;
  await writeFile(join(to, 'index'), bytes);
  await utimes(join(to, 'index'), times.atime, times.mtime);
  const parts = (await readdir(from)).filter((name) => name.startsWith('sharedindex.')).slice(0, MAX_PARTS);
  for (const name of parts) await symlink(join(from, name), join(to, name));
}

function ignoreAbsence(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw new GitError(error instanceof Error ? error.message : String(error), { cause: error });
}
