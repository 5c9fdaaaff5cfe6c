import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../daemon-error.ts';
import { WHOLE_TREE_MS } from './repository.ts';

/** The content of a work tree as git would store it. */
export interface StagedWork {
  /** Tree with all changes and all new files that are not ignored. */
  tree: string;
  /** Null if nothing is committed yet. */
  head: string | null;
  isChanged: boolean;
  /** Folders with their own `.git`, which this repository cannot commit. */
  nested: string[];
}

/**
 * Stages the whole work tree. Starts from the commit instead of the work tree's index, where files can be marked as
 * unchanged or as not checked out, which hides changes. Does not use `git add`, which runs git in submodules with their
 * settings.
 */
export async function stageWork(repository: OpenRepository): Promise<StagedWork> {
  const absent = repository.isSparse ? await listAbsent(repository) : [];
  const head = await findHead(repository);
  await repository.git(['read-tree', ...(head === null ? ['--empty'] : [head])]);
  if (absent.length > 0) await feed(repository, ['update-index', '--skip-worktree', '-z', '--stdin'], absent);
  const others = await repository.list(['ls-files', '-z', '--others', '--exclude-standard']);
  const nested = others.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
  const tracked = await repository.list(['diff-files', '-z', '--name-status', '--no-renames', ...SUBMODULES]);
  const gone = tracked.flatMap((name, at) => (at % 2 === 1 && tracked[at - 1] === 'D' ? [name] : []));
  const changed = tracked.flatMap((name, at) => (at % 2 === 1 && tracked[at - 1] !== 'D' ? [name] : []));
  const added = others.filter((name) => !name.endsWith('/'));
  await feed(repository, ['update-index', '--force-remove', '-z', '--stdin'], gone);
  await feed(repository, ['update-index', '--add', '--replace', '-z', '--stdin'], [...changed, ...added]);
  const tree = await repository.git(['write-tree']);
  const before = head === null ? null : await repository.git(['rev-parse', '--verify', `${head}^{tree}`]);
  return { tree, head, isChanged: tree !== (before ?? (await emptyTree(repository))), nested };
}

/** Compares only the commit of a submodule; its files belong to its own repository. */
export const SUBMODULES = ['--ignore-submodules=dirty'];

export async function findHead(repository: OpenRepository): Promise<string | null> {
  const answer = await repository.tryGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  return answer.code === 0 ? answer.out.toString('utf8').trim() : null;
}

export function emptyTree(repository: OpenRepository): Promise<string> {
  return repository.git(['hash-object', '-w', '-t', 'tree', '--stdin']);
}

/** Ignored files and folders. A folder that is ignored completely ends with a slash and is listed without its files. */
export async function listIgnored(repository: OpenRepository, cwd: string = repository.top): Promise<string[]> {
  const rules = ['--ignored', '--exclude-standard', '--directory'];
  const listed = await repository.list(['ls-files', '-z', '--others', ...rules], { cwd });
  const folders: string[] = [];
  return listed.sort().filter((name) => {
    if (folders.some((folder) => name.startsWith(folder))) return false;
    if (name.endsWith('/')) folders.push(name);
    return true;
  });
}

/** Files that agent-mux itself writes into a working directory. They are not work. */
export const OWN_FILES: ReadonlySet<string> = new Set(['.agent-mux/.gitignore', '.agent-mux/run-index.jsonl']);

/** Fetched submodules: folders with their own repository. */
export async function listSubmodules(repository: OpenRepository): Promise<string[]> {
  const staged = await repository.list(['ls-files', '-z', '--stage']);
  const links = staged.flatMap((line) => /^160000 [^\t]+\t(.+)$/s.exec(line)?.[1] ?? []);
  const found = await Promise.all(
    links.map(async (path) => {
      const dotGit = await lstat(join(repository.top, path, '.git')).catch(() => undefined);
      return dotGit ? [path] : [];
    }),
  );
  return found.flat();
}

/**
 * Throws if a changed file needs a filter that is not allowed. Without the filter its content would be wrong: for
 * git-lfs, the whole file instead of its pointer.
 */
export async function assertFiltersAllowed(
  repository: OpenRepository,
  paths: readonly string[],
  allowed: readonly string[],
): Promise<void> {
  if (paths.length === 0 || repository.filters.length === 0) return;
  const known = repository.filters.filter((name) => !allowed.includes(name));
  const answers = await repository.list(['check-attr', '-z', '--stdin', 'filter'], { input: `${paths.join('\0')}\0` });
  for (let at = 0; at + 2 < answers.length; at += 3) {
    const [path = '', , filter = ''] = answers.slice(at, at + 3);
    if (!known.includes(filter)) continue;
    throw new DaemonError('WORKSPACE_ERROR', `${path} needs the git filter "${filter}", which agent-mux does not run`, {
      hint: `if you trust it, add "git": {"allowFilters": ["${filter}"]} to your configuration file; or use git there`,
    });
  }
}

/** Files that are missing because they are not checked out, not because they were deleted. */
async function listAbsent(repository: OpenRepository): Promise<string[]> {
  const flagged = (await repository.list(['ls-files', '-z', '-t'])).filter((line) => line.startsWith('S '));
  const names = flagged.map((line) => line.slice(2));
  const existing = new Set(await filterExisting(repository.top, names));
  return names.filter((name) => !existing.has(name));
}

/** Clears the flags of files marked as unchanged or not checked out, so that they are compared like all others. */
export async function clearFlags(repository: OpenRepository): Promise<void> {
  const lines = await repository.tryGit(['ls-files', '-z', '-v'], { maxBytes: Number.MAX_SAFE_INTEGER });
  if (lines.code !== 0) {
    // The index is corrupt: start from the commit.
    await repository.git(['read-tree', '--empty']);
    await repository.tryGit(['read-tree', 'HEAD']);
    return;
  }
  const entries = lines.out.toString('utf8').split('\0');
  const namesOf = (flag: RegExp) => entries.filter((line) => flag.test(line)).map((line) => line.slice(2));
  const assumed = namesOf(/^[a-z] /);
  const skipped = namesOf(/^[Ss] /);
  // In a sparse work tree, missing files were not deleted.
  const existing = repository.isSparse ? await filterExisting(repository.top, skipped) : skipped;
  await feed(repository, ['update-index', '--no-assume-unchanged', '-z', '--stdin'], assumed);
  await feed(repository, ['update-index', '--no-skip-worktree', '-z', '--stdin'], existing);
}

async function filterExisting(top: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => lstat(join(top, name)).catch(() => undefined)));
  return names.filter((_, at) => found[at] !== undefined);
}

async function feed(repository: OpenRepository, args: readonly string[], paths: readonly string[]): Promise<void> {
  if (paths.length > 0) await repository.git(args, { input: `${paths.join('\0')}\0`, limitMs: WHOLE_TREE_MS });
}
