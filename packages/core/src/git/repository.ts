import { copyFile, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../values.ts';
import { GitError } from './git-error.ts';
import type { GitLocation } from './locate.ts';
import { type GitAnswer, type GitCall, runGit } from './run-git.ts';
import { type Shadow, type ShadowOptions, withShadow } from './shadow.ts';

interface RepositoryOptions extends ShadowOptions {
  signal?: AbortSignal;
}

type CallOptions = Pick<GitCall, 'input' | 'env' | 'maxBytes' | 'cwd' | 'limitMs'>;

/** A repository that git can be run on without running any of its programs. */
export interface OpenRepository extends GitLocation, Pick<Shadow, 'isSparse' | 'filters'> {
  /** A private folder, removed afterwards. */
  scratch: string;
  /** Resolves even if git fails. Default folder: the work tree. */
  tryGit(args: readonly string[], options?: Partial<CallOptions>): Promise<GitAnswer>;
  /** The trimmed output of git. Throws a `GitError` if git fails. */
  git(args: readonly string[], options?: Partial<CallOptions>): Promise<string>;
  /** Names that git prints with `-z`. */
  list(args: readonly string[], options?: Partial<CallOptions>): Promise<string[]>;
  /** Replaces the work tree's index with that of this git directory. */
  installIndex(): Promise<void>;
}

/** Opens a repository during `use`: see `withShadow`. */
export function withRepository<Result>(
  location: GitLocation,
  { signal, ...options }: RepositoryOptions,
  use: (repository: OpenRepository) => Promise<Result>,
): Promise<Result> {
  return withShadow(location, options, (shadow) => {
    const tryGit: OpenRepository['tryGit'] = (args, { env = {}, cwd = location.top, ...rest } = {}) =>
      runGit({ ...rest, cwd, args, env: { ...shadow.env, ...env }, signal });
    const run = async (args: readonly string[], rest: Partial<CallOptions> = {}) => {
      const answer = await tryGit(args, rest);
      if (answer.isCut) throw new GitError(`git ${args[0]} exceeded the output limit`);
      if (answer.code === 0) return answer.out.toString('utf8');
      throw new GitError(`git ${args[0]}: ${answer.error.slice(0, 500)}`, { hint: `inspect ${location.top} with git` });
    };
    return use({
      ...location,
      scratch: shadow.folder,
      isSparse: shadow.isSparse,
      filters: shadow.filters,
      tryGit,
      git: async (args, rest) => (await run(args, rest)).trim(),
      list: async (args, rest) => (await run(args, rest)).split('\0').filter((name) => name !== ''),
      installIndex: () => installIndex(shadow.index, location.gitDir),
    });
  });
}

/** Uses git's lock file, so that a concurrent git command fails instead of being overwritten. */
async function installIndex(from: string, gitDir: string): Promise<void> {
  const lock = join(gitDir, 'index.lock');
  try {
    await (await open(lock, 'wx')).close();
  } catch (error) {
    if (!isRecord(error) || error.code !== 'EEXIST') throw error;
    throw new GitError(`${lock} exists: another git command is running there`, {
      hint: 'wait for it; remove that file if no git command is running',
    });
  }
  try {
    await copyFile(from, lock);
    await rename(lock, join(gitDir, 'index'));
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  }
}
