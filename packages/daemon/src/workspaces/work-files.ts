import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../daemon-error.ts';
import { WHOLE_TREE_MS } from './repository.ts';

/** All that is in a work tree, by what git would make of it. */
export interface StagedWork {
  /** With every change and every new file that is not ignored. */
  tree: string;
  /** Null: nothing was committed yet. */
  head: string | null;
  isChanged: boolean;
  /** Folders with their own `.git`, which no commit of this repository can hold. */
  nested: string[];
}

/**
 * Fills the index with all that is in the work tree. It starts from the commit, not from the work tree's own index: there files can
 * be marked as unchanged, or as not checked out, which hides what was done to them. `git add` is not used: it starts git in
 * submodules, with their settings.
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

/** Only the commit of a submodule counts; its files are its own repository's. */
export const SUBMODULES = ['--ignore-submodules=dirty'];

export async function findHead(repository: OpenRepository): Promise<string | null> {
  const answer = await repository.tryGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  return answer.code === 0 ? answer.out.toString('utf8').trim() : null;
}

export function emptyTree(repository: OpenRepository): Promise<string> {
  return repository.git(['hash-object', '-w', '-t', 'tree', '--stdin']);
}

/** Files and folders that ignore rules hide. A folder that is ignored as a whole ends with a slash, and stands for all in it. */
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

/** What agent-mux itself writes into a folder that it works in. It is not work, and hides nothing. */
export const OWN_FILES: ReadonlySet<string> = new Set(['.agent-mux/.gitignore', '.agent-mux/run-index.jsonl']);

/** Submodules that have been fetched: folders with their own repository. */
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
 * A file whose filter does not run would get another content than its repository wants: for git-lfs, the whole file in place of
 * its pointer.
 */
export async function refuseUnrunFilters(
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
      hint: `if you trust it, add "git": {"allowFilters": ["${filter}"]} to your own configuration file; or use git there`,
    });
  }
}

/** Entries of a part of the work tree that is not checked out, and so is not deleted. */
async function listAbsent(repository: OpenRepository): Promise<string[]> {
  const flagged = (await repository.list(['ls-files', '-z', '-t'])).filter((line) => line.startsWith('S '));
  const names = flagged.map((line) => line.slice(2));
  const there = new Set(await keepPresent(repository.top, names));
  return names.filter((name) => !there.has(name));
}

/** Files that are marked as unchanged or as not checked out are compared like all others. */
export async function showFlagged(repository: OpenRepository): Promise<void> {
  const lines = await repository.tryGit(['ls-files', '-z', '-v'], { maxBytes: Number.MAX_SAFE_INTEGER });
  if (lines.code !== 0) {
    // Whatever is wrong with the index, the commit is there to start from.
    await repository.git(['read-tree', '--empty']);
    await repository.tryGit(['read-tree', 'HEAD']);
    return;
  }
  const entries = lines.out.toString('utf8').split('\0');
  const namesOf = (flag: RegExp) => entries.filter((line) => flag.test(line)).map((line) => line.slice(2));
  const assumed = namesOf(/^[a-z] /);
  const skipped = namesOf(/^[Ss] /);
  // In a work tree of which only a part is checked out, what is not there was not deleted.
  const there = repository.isSparse ? await keepPresent(repository.top, skipped) : skipped;
  await feed(repository, ['update-index', '--no-assume-unchanged', '-z', '--stdin'], assumed);
  await feed(repository, ['update-index', '--no-skip-worktree', '-z', '--stdin'], there);
}

async function keepPresent(top: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => lstat(join(top, name)).catch(() => undefined)));
  return names.filter((_, at) => found[at] !== undefined);
}

async function feed(repository: OpenRepository, args: readonly string[], paths: readonly string[]): Promise<void> {
  if (paths.length > 0) await repository.git(args, { input: `${paths.join('\0')}\0`, limitMs: WHOLE_TREE_MS });
}
