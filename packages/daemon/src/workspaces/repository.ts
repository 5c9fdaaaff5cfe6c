import { loadConfig } from '@agent-mux/core';
import { GitError, type GitLocation, type OpenRepository, withRepository } from '@agent-mux/core/git';
import { DaemonError } from '../daemon-error.ts';

/** Time to read or write the files of a whole work tree, which may be many gigabytes or come through git-lfs. */
export const WHOLE_TREE_MS = 10 * 60_000;

interface Use {
  /** True: objects and refs of the repository are changed. */
  writes: boolean;
  signal?: AbortSignal;
}

/** Opens a repository with the filters that the user has allowed. Failures of git become errors of the daemon. */
export async function useRepository<Result>(
  location: GitLocation,
  { writes, signal }: Use,
  use: (repository: OpenRepository) => Promise<Result>,
): Promise<Result> {
  const { allowFilters } = readAllowed();
  try {
    return await withRepository(location, { writes, signal, allowFilters }, use);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new DaemonError('WORKSPACE_ERROR', error.message, error.hint === undefined ? {} : { hint: error.hint });
  }
}

/** The user's file alone; it is read each time, so that a change counts at once. */
export function readAllowed(): { allowFilters: readonly string[] } {
  return loadConfig({ cwd: '/' }).git ?? { allowFilters: [] };
}
