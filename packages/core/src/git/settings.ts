import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isMissing, readRegularFile } from '../files/regular-file.ts';
import { GitError } from './git-error.ts';
import type { GitLocation } from './locate.ts';
import { type GitAnswer, runGit } from './run-git.ts';

const CONFIG_BYTES = 4 * 1024 * 1024;
/** Repository settings that control how files are read and written. None of them names a program or a file. */
const OF_REPOSITORY = /^(?:core\.(?:autocrlf|eol|filemode|precomposeunicode)|user\.(?:name|email))$/;
/** The user's own settings. The files they name are trusted too. */
const OF_USER = /^(?:core\.(?:autocrlf|eol|excludesfile|attributesfile)|user\.(?:name|email))$/;
/** A case-sensitive folder must not be read as case-insensitive: one of two files would be hidden. */
const OF_CASELESS = /^core\.(?:ignorecase|symlinks)$/;
/** Where git-lfs may download from. Excludes addresses that start a program of the repository's choice. */
const REMOTE_URL = /^(?:https?:\/\/|ssh:\/\/[^-]|[A-Za-z0-9][\w.@-]*:[^:])/;
const FILTER_NAME = /^[A-Za-z0-9_-]{1,60}$/;

/** Names with their values, in file order. A name may occur several times. */
type Settings = readonly (readonly [string, string])[];

export interface RepositoryFacts {
  /** Settings that git sees instead of the repository's. */
  config: string;
  isReftable: boolean;
  /** The repository has a sparse checkout. */
  isSparse: boolean;
  /** Names of filters defined in the user's or the repository's settings. */
  filters: readonly string[];
}

/**
 * Reads the required settings of a repository from copies: includes are not followed, and git never sees the originals.
 * `allowFilters` names filters of the user's git settings that may run.
 */
export async function readFacts(
  location: GitLocation,
  scratch: string,
  { allowFilters, readsUser }: { allowFilters: readonly string[]; readsUser: boolean },
): Promise<RepositoryFacts> {
  if (!readsUser && !(await namesFormat(location))) return PLAIN;
  const shared = await readCopy(join(location.common, 'config'), scratch);
  const ext = (name: string) => last(shared, `extensions.${name}`)?.toLowerCase();
  const hasOwn = ext('worktreeconfig') !== undefined && ext('worktreeconfig') !== 'false';
  const own = hasOwn ? await readCopy(join(location.gitDir, 'config.worktree'), scratch) : [];
  const local = [...shared, ...own];
  // Settings shared by all work trees do not apply to a linked one.
  assertSameWorkTree(location, location.gitDir === location.common ? local : own);
  const user = readsUser ? await readUserSettings(location.top) : [];
  const format = ext('objectformat') ?? 'sha1';
  const isReftable = ext('refstorage') === 'reftable';
  const isNew = format !== 'sha1' || isReftable;
  const kept = [
    ...user.filter(([name]) => OF_USER.test(name)),
    ...local.filter(([name]) => OF_REPOSITORY.test(name)),
    ...(process.platform === 'linux' ? [] : local.filter(([name]) => OF_CASELESS.test(name))),
  ];
  const config = [
    setting('core.repositoryformatversion', isNew ? '1' : '0'),
    ...(format === 'sha1' ? [] : [setting('extensions.objectformat', format)]),
    ...(isReftable ? [setting('extensions.refstorage', 'reftable')] : []),
    ...kept.map(([name, value]) => setting(name, value)),
    ...filterSettings(user, local, allowFilters),
    ...FIXED.map(([name, value]) => setting(name, value)),
    '',
  ].join('\n');
  const isSparse = last(local, 'core.sparsecheckout')?.toLowerCase() === 'true';
  const filters = [...user, ...local].flatMap(
    ([name]) => /^filter\.(.+)\.(?:clean|smudge|process)$/.exec(name)?.[1] ?? [],
  );
  return { config, isReftable, isSparse, filters: [...new Set(filters)] };
}

/** Last, so that they override everything before. */
const FIXED: Settings = [
  ['core.bare', 'false'],
  ['core.hookspath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedcache', 'false'],
  ['core.splitindex', 'false'],
  ['core.logallrefupdates', 'true'],
  ['core.sharedrepository', 'umask'],
  ['commit.gpgsign', 'false'],
  ['diff.ignoresubmodules', 'dirty'],
  ['diff.external', ''],
  ['gc.auto', '0'],
  ['index.threads', '1'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
];

/** For commands that depend only on the index, in the most common repository format: nothing has to be parsed. */
const PLAIN: RepositoryFacts = {
  config: [
    setting('core.repositoryformatversion', '0'),
    ...FIXED.map(([name, value]) => setting(name, value)),
    '',
  ].join('\n'),
  isReftable: false,
  isSparse: false,
  filters: [],
};

async function namesFormat({ common }: GitLocation): Promise<boolean> {
  const bytes = await readRegularFile(join(common, 'config'), { limit: CONFIG_BYTES }).catch(() => undefined);
  return bytes === undefined || /objectformat|refstorage/i.test(bytes.toString('utf8'));
}

/** Uses only the user's definition: the repository's definition of the same name is ignored. */
function filterSettings(user: Settings, local: Settings, allowed: readonly string[]): string[] {
  if (allowed.length === 0) return [];
  const filters = allowed.flatMap((name) => {
    const own = FILTER_NAME.test(name) ? user.filter(([key]) => key.startsWith(`filter.${name}.`)) : [];
    if (own.length > 0) return own;
    throw new GitError(`the filter "${name}" is allowed, but your own git settings do not define it`, {
      hint: name === 'lfs' ? 'run "git lfs install"' : `run "git config --global filter.${name}.clean COMMAND"`,
    });
  });
  const remotes = local.filter(([name, value]) => /^remote\..+\.url$/.test(name) && REMOTE_URL.test(value));
  return [...filters, ...remotes].map(([name, value]) => setting(name, value));
}

/** The user's and the machine's git settings. The folder matters for settings the user made for some folders only. */
async function readUserSettings(cwd: string): Promise<Settings> {
  const lists = await Promise.all(
    ['--system', '--global'].map((scope) => runGit({ cwd, args: ['config', scope, '--includes', '-z', '--list'] })),
  );
  // A missing file makes git fail, which is the same as an empty one.
  return lists.flatMap(parseList);
}

async function readCopy(path: string, scratch: string): Promise<Settings> {
  const bytes = await readRegularFile(path, { limit: CONFIG_BYTES }).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw new GitError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (bytes === undefined) return [];
  const copy = join(scratch, 'config-copy');
  await writeFile(copy, bytes);
  const answer = await runGit({
    cwd: scratch,
    args: ['config', '--file', copy, '--no-includes', '-z', '--list'],
    env: { GIT_CEILING_DIRECTORIES: resolve(scratch, '..'), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  });
  if (answer.code !== 0) throw new GitError(`${path} is not valid: ${answer.error.split('\n')[0]}`);
  return parseList(answer);
}

function parseList({ out }: GitAnswer): Settings {
  return out
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf('\n');
      return at === -1 ? [line, 'true'] : [line.slice(0, at), line.slice(at + 1)];
    });
}

function last(settings: Settings, name: string): string | undefined {
  return settings.findLast(([key]) => key === name)?.[1];
}

function assertSameWorkTree({ top, gitDir }: GitLocation, settings: Settings): void {
  const named = last(settings, 'core.worktree');
  if (named !== undefined && resolve(gitDir, named) !== top)
    throw new GitError('the repository is configured with a different work tree', {
      hint: 'check core.worktree in its settings',
    });
}

/** `section.sub.section.name` as two lines of a settings file. */
function setting(key: string, value: string): string {
  const first = key.indexOf('.');
  const end = key.lastIndexOf('.');
  const sub = first === end ? '' : ` ${quote(key.slice(first + 1, end))}`;
  return `[${key.slice(0, first)}${sub}]\n\t${key.slice(end + 1)} = ${quote(value)}`;
}

function quote(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
