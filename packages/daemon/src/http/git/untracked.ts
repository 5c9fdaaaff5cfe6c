import { join } from 'node:path';
import type { OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../../daemon-error.ts';
import { listIgnored, OWN_FILES } from '../../workspaces/work-files.ts';

/** Maximum files shown of a folder hidden by an uncommitted rule. A larger folder, usually a cache, is only named. */
const MAX_HIDDEN = 20;
/** Maximum number of listed ignored files and folders. */
const MAX_IGNORED = 200;
/** Maximum depth of nested repositories. */
const MAX_DEPTH = 3;

interface Untracked {
  /** Ignored files and folders; a folder ends with a slash. */
  ignored: string[];
  /** Folders with their own repository, whose files are also shown. */
  nested: string[];
  /** Some files are not shown. */
  isCut: boolean;
}

interface UntrackedOptions {
  cwd: string;
  /** Path of `cwd` within the work tree. */
  inner: string;
  max: number;
  /** Whether an ignore file differs from the committed version. */
  changedRules(path: string): Promise<boolean>;
}

/**
 * Adds new files to the index, so that `git diff` shows them: untracked files, files in nested repositories, and files
 * hidden by an uncommitted ignore rule, with which an agent could hide its work.
 */
export async function findUntracked(repository: OpenRepository, options: UntrackedOptions): Promise<Untracked> {
  const others = await listOthers(repository, options.cwd, { max: options.max });
  const ignored = await listIgnored(repository, options.cwd);
  const hidden = await findHidden(repository, options, ignored);
  const shown = [...others.files, ...hidden.files];
  await addToIndex(repository, options, shown.slice(0, options.max));
  return {
    ignored: ignored.filter((name) => !hidden.shown.has(name)).slice(0, MAX_IGNORED),
    nested: others.nested,
    isCut: others.isCut || shown.length > options.max || ignored.length - hidden.shown.size > MAX_IGNORED,
  };
}

interface Others {
  files: string[];
  nested: string[];
  isCut: boolean;
}

/** Paths relative to `cwd`. A nested repository is listed like a plain folder. */
async function listOthers(repository: OpenRepository, cwd: string, { max }: { max: number }): Promise<Others> {
  const found: Others = { files: [], nested: [], isCut: false };
  const list = async (within: string, depth: number): Promise<void> => {
    const folder = join(cwd, within);
    const env: Record<string, string> =
      depth === 0 ? {} : { GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(repository.scratch, 'no-index') };
    const args = ['ls-files', '-z', '--others', '--exclude-standard'];
    const answer = await repository.tryGit(args, { cwd: folder, env });
    if (answer.code !== 0 && !answer.isCut)
      throw new DaemonError('WORKSPACE_ERROR', `git failed to list new files: ${answer.error.split('\n')[0] ?? ''}`);
    found.isCut ||= answer.isCut;
    for (const name of answer.out.toString('utf8').split('\0')) {
      if (name === '') continue;
      if (!name.endsWith('/')) found.files.push(`${within}${name}`);
      else {
        found.nested.push(`${within}${name}`);
        if (depth < MAX_DEPTH && found.files.length < max) await list(`${within}${name}`, depth + 1);
        else found.isCut = true;
      }
    }
  };
  await list('', 0);
  return found;
}

/** Ignored files that are hidden only by an uncommitted rule. */
async function findHidden(
  repository: OpenRepository,
  { cwd, inner, changedRules }: UntrackedOptions,
  ignored: readonly string[],
) {
  const hidden = { files: [] as string[], shown: new Set<string>() };
  const some = ignored.slice(0, MAX_IGNORED);
  if (some.length === 0) return hidden;
  const args = ['check-ignore', '--no-index', '--verbose', '-z', '--stdin'];
  const input = some.map((name) => `${name}\0`).join('');
  // `check-ignore` always takes names literally and rejects this option.
  const answer = await repository.tryGit(args, { cwd, input, env: { GIT_LITERAL_PATHSPECS: '0' } });
  const fields = answer.out.toString('utf8').split('\0');
  const isUncommitted = new Map<string, boolean>();
  // Source, line, pattern, name.
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [source = '', , , name = ''] = fields.slice(at, at + 4);
    if (!/(?:^|\/)\.gitignore$/.test(source)) continue;
    const path = relativeTo(inner, source);
    if (!isUncommitted.has(source)) isUncommitted.set(source, await isNewRule(repository, cwd, path, changedRules));
    if (!isUncommitted.get(source)) continue;
    const files = name.endsWith('/')
      ? await repository.list(['ls-files', '-z', '--others', '--', name], { cwd }).catch(() => [])
      : [name];
    const plain = files.filter((file) => !file.endsWith('/') && !OWN_FILES.has(file));
    if (plain.length > MAX_HIDDEN) continue;
    hidden.files.push(...plain);
    hidden.shown.add(name);
  }
  return hidden;
}

/** `check-ignore` prints sources relative to the top of the work tree. */
function relativeTo(inner: string, source: string): string {
  if (inner === '') return source;
  if (source.startsWith(`${inner}/`)) return source.slice(inner.length + 1);
  return `${'../'.repeat(inner.split('/').length)}${source}`;
}

async function isNewRule(
  repository: OpenRepository,
  cwd: string,
  path: string,
  changedRules: UntrackedOptions['changedRules'],
): Promise<boolean> {
  const known = await repository.tryGit(['ls-files', '--error-unmatch', '--', path], { cwd });
  return known.code !== 0 || changedRules(path);
}

/** Adds entries with the id of an empty file and no times, so that git reads the content from the work tree. */
async function addToIndex(
  repository: OpenRepository,
  { inner }: UntrackedOptions,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const empty = await repository.git(['hash-object', '-w', '-t', 'blob', '--stdin']);
  const prefix = inner === '' ? '' : `${inner}/`;
  await repository.git(['update-index', '-z', '--index-info'], {
    input: names.map((name) => `100644 ${empty}\t${prefix}${name}\0`).join(''),
  });
}
