import { join } from 'node:path';
import type { OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../../daemon-error.ts';
import { listIgnored, OWN_FILES } from '../../workspaces/work-files.ts';

/** Of a folder that an uncommitted rule hides, so many files are shown. One with more is only named: it is a cache, mostly. */
const MOST_HIDDEN = 20;
/** Names of ignored files and folders that are listed. */
const MOST_IGNORED = 200;
/** Repositories within repositories that are looked into. */
const DEEPEST = 3;

interface Untracked {
  /** Names of what ignore rules hide; a folder ends with a slash. */
  ignored: string[];
  /** Folders with their own repository. Their files are shown too. */
  nested: string[];
  /** Not all of it is shown. */
  isCut: boolean;
}

interface Look {
  cwd: string;
  /** The path of `cwd` within the work tree. */
  inner: string;
  most: number;
  /** Whether an ignore file differs from what was committed. */
  changedRules(path: string): Promise<boolean>;
}

/**
 * Puts new files into the index, so that `git diff` shows them: those that git does not know, those in folders with their own
 * repository, and those that a rule hides which was not committed. An agent could hide its work with such a rule.
 */
export async function findUntracked(repository: OpenRepository, look: Look): Promise<Untracked> {
  const others = await listOthers(repository, look.cwd, { most: look.most });
  const ignored = await listIgnored(repository, look.cwd);
  const hidden = await findHidden(repository, look, ignored);
  const shown = [...others.files, ...hidden.files];
  await addToIndex(repository, look, shown.slice(0, look.most));
  return {
    ignored: ignored.filter((name) => !hidden.shown.has(name)).slice(0, MOST_IGNORED),
    nested: others.nested,
    isCut: others.isCut || shown.length > look.most || ignored.length - hidden.shown.size > MOST_IGNORED,
  };
}

interface Others {
  files: string[];
  nested: string[];
  isCut: boolean;
}

/** Relative to `cwd`. A folder with its own repository is listed as if it were not one. */
async function listOthers(repository: OpenRepository, cwd: string, { most }: { most: number }): Promise<Others> {
  const found: Others = { files: [], nested: [], isCut: false };
  const list = async (within: string, depth: number): Promise<void> => {
    const folder = join(cwd, within);
    const env: Record<string, string> =
      depth === 0 ? {} : { GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(repository.scratch, 'no-index') };
    const args = ['ls-files', '-z', '--others', '--exclude-standard'];
    const answer = await repository.tryGit(args, { cwd: folder, env });
    if (answer.code !== 0 && !answer.isCut)
      throw new DaemonError('WORKSPACE_ERROR', `git could not list new files: ${answer.error.split('\n')[0] ?? ''}`);
    found.isCut ||= answer.isCut;
    for (const name of answer.out.toString('utf8').split('\0')) {
      if (name === '') continue;
      if (!name.endsWith('/')) found.files.push(`${within}${name}`);
      else {
        found.nested.push(`${within}${name}`);
        if (depth < DEEPEST && found.files.length < most) await list(`${within}${name}`, depth + 1);
        else found.isCut = true;
      }
    }
  };
  await list('', 0);
  return found;
}

/** Of what is ignored: what only a rule hides that was not committed. */
async function findHidden(repository: OpenRepository, { cwd, inner, changedRules }: Look, ignored: readonly string[]) {
  const hidden = { files: [] as string[], shown: new Set<string>() };
  const some = ignored.slice(0, MOST_IGNORED);
  if (some.length === 0) return hidden;
  const args = ['check-ignore', '--no-index', '--verbose', '-z', '--stdin'];
  const input = some.map((name) => `${name}\0`).join('');
  // It takes names as they are, and refuses to be asked for that.
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
    if (plain.length > MOST_HIDDEN) continue;
    hidden.files.push(...plain);
    hidden.shown.add(name);
  }
  return hidden;
}

/** `check-ignore` names its sources from the top of the work tree. */
function relativeTo(inner: string, source: string): string {
  if (inner === '') return source;
  if (source.startsWith(`${inner}/`)) return source.slice(inner.length + 1);
  return `${'../'.repeat(inner.split('/').length)}${source}`;
}

async function isNewRule(
  repository: OpenRepository,
  cwd: string,
  path: string,
  changedRules: Look['changedRules'],
): Promise<boolean> {
  const known = await repository.tryGit(['ls-files', '--error-unmatch', '--', path], { cwd });
  return known.code !== 0 || changedRules(path);
}

/** With the id of an empty file and no times, so that git reads each from the work tree. */
async function addToIndex(repository: OpenRepository, { inner }: Look, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const empty = await repository.git(['hash-object', '-w', '-t', 'blob', '--stdin']);
  const prefix = inner === '' ? '' : `${inner}/`;
  await repository.git(['update-index', '-z', '--index-info'], {
    input: names.map((name) => `100644 ${empty}\t${prefix}${name}\0`).join(''),
  });
}
