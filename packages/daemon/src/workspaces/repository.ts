import { loadConfig } from '@agent-mux/core';
import { GitError, type GitLocation, type OpenRepository, withRepository } from '@agent-mux/core/git';
import { DaemonError } from '../daemon-error.ts';

/** Time to read or write the files of a whole work tree, which may be many gigabytes or come through git-lfs. */
export const WHOLE_TREE_MS = 10 * 60_000;

interface Use {
  /** Whether objects and refs of the repository change. */
  writes: boolean;
  signal?: AbortSignal;
}

/** Opens a repository with the filters that the user allows. Converts git failures into DaemonErrors. */
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

/** Reads only the user's file, each time, so that changes apply immediately. */
export function readAllowed(): { allowFilters: readonly string[] } {
  return loadConfig({ cwd: '/' }).git ?? { allowFilters: [] };
}
