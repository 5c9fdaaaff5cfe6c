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

/** A repository that git can be run on without running anything of it. */
export interface OpenRepository extends GitLocation, Pick<Shadow, 'isSparse' | 'filters'> {
  /** A folder of ours that is removed afterwards. */
  scratch: string;
  /** Resolves also where git fails. Default folder: the work tree. */
  tryGit(args: readonly string[], options?: Partial<CallOptions>): Promise<GitAnswer>;
  /** What git prints, without the space around it. Throws a `GitError` where git fails. */
  git(args: readonly string[], options?: Partial<CallOptions>): Promise<string>;
  /** Names that git prints with `-z`. */
  list(args: readonly string[], options?: Partial<CallOptions>): Promise<string[]>;
  /** Puts the index of this git directory in the place of the work tree's own. */
  installIndex(): Promise<void>;
}

/** Opens a repository for the time of `use`: see `withShadow`. */
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
      if (answer.isCut) throw new GitError(`git ${args[0]} printed more than is read`);
      if (answer.code === 0) return answer.out.toString('utf8');
      throw new GitError(`git ${args[0]}: ${answer.error.slice(0, 500)}`, { hint: `look at ${location.top} with git` });
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

/** As git does it, so that another git command that runs there at the same time fails instead of being overwritten. */
async function installIndex(from: string, gitDir: string): Promise<void> {
  const lock = join(gitDir, 'index.lock');
  try {
    await (await open(lock, 'wx')).close();
  } catch (error) {
    if (!isRecord(error) || error.code !== 'EEXIST') throw error;
    throw new GitError(`${lock} exists: another git command is running there`, {
      hint: 'wait for it; remove that file if it is a leftover of a git that has ended',
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
