import { copyFile, mkdir, mkdtemp, readdir, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { isRecord } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import { runGit } from './run-git.ts';

const ANSWER_BYTES = 1_000_000;
/** Of a repository's own settings only those that say how files are read; none of them names a command. */
const KEPT_SETTINGS = /^core\.(?:autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode|excludesfile)$/;
const NO_CONFIG = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

/** A repository with the content of another, and none of its settings. */
export interface StandIn {
  env: Readonly<Record<string, string>>;
  /** Null: nothing was committed yet. */
  head: string | null;
  emptyTree: string;
  /** The rules of the repository about what is not to be seen, beside those in its folders. */
  excludes: string;
}

/**
 * A repository may say that git is to run commands: hooks, filters, a monitor, other programs to compare with. Whoever can write
 * files there could so make the daemon run something. So git is shown another one, made for the moment: its own settings, the
 * objects of the real one to read from, and a copy of its index.
 */
export async function withStandIn<Result>(
  folder: string,
  signal: AbortSignal,
  use: (standIn: StandIn) => Promise<Result>,
): Promise<Result> {
  const ask = async (...args: string[]) => {
    const { code, out } = await runGit({ cwd: folder, args, maxBytes: ANSWER_BYTES, signal });
    return code === 0 ? out.toString('utf8') : null;
  };
  // None of these reads the index or a file of the work tree, and so none runs anything.
  const places = (
    await ask('rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir')
  )?.split('\n');
  const [top, gitFolder, common] = places ?? [];
  if (!top || !gitFolder || !common) {
    throw new DaemonError('WORKSPACE_ERROR', 'the workspace is no git work tree', { hint: 'git init makes it one' });
  }
  const inner = relative(top, await realpath(folder));
  if (inner.startsWith('..') || isAbsolute(inner)) {
    throw new DaemonError('WORKSPACE_ERROR', "the repository's settings say that its work tree is another one");
  }
  const format = (await ask('rev-parse', '--show-object-format'))?.trim() ?? 'sha1';
  const head = (await ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'))?.trim() ?? null;
  const settings = (await ask('config', '--null', '--get-regexp', '^core[.]')) ?? '';

  const own = await mkdtemp(join(tmpdir(), 'amux-diff-'));
  try {
    await Promise.all([mkdir(join(own, 'objects')), mkdir(join(own, 'refs'))]);
    await writeFile(join(own, 'HEAD'), 'ref: refs/heads/none\n');
    await writeFile(join(own, 'config'), writeSettings(format, settings));
    await copyIndex(gitFolder, own);
    const env = {
      ...NO_CONFIG,
      GIT_DIR: own,
      GIT_WORK_TREE: top,
      // What is new is written into the stand-in, and goes with it.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(common, 'objects'),
    };
    const tree = await runGit({
      cwd: folder,
      args: ['hash-object', '-w', '-t', 'tree', '--stdin'],
      env,
      maxBytes: ANSWER_BYTES,
      signal,
    });
    return await use({
      env,
      head,
      emptyTree: tree.out.toString('utf8').trim(),
      excludes: join(common, 'info', 'exclude'),
    });
  } finally {
    await rm(own, { recursive: true, force: true, maxRetries: 3 });
  }
}

function writeSettings(format: string, settings: string): string {
  const isNew = format !== 'sha1';
  const kept = settings.split('\0').flatMap((line) => {
    const at = line.indexOf('\n');
    const [name, value] = at === -1 ? [line, 'true'] : [line.slice(0, at), line.slice(at + 1)];
    return KEPT_SETTINGS.test(name) ? [`\t${name.slice('core.'.length)} = ${quote(value)}`] : [];
  });
  return [
    '[core]',
    `\trepositoryformatversion = ${isNew ? 1 : 0}`,
    '\tbare = false',
    ...kept,
    ...(isNew ? ['[extensions]', `\tobjectformat = ${quote(format)}`] : []),
    '',
  ].join('\n');
}

function quote(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}

/**
 * With it git need not read every file again. An index in two parts has the second one beside it. With its time: a file that was
 * changed in the second in which the index was written is only looked at where the index is not younger than it.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const names = await readdir(from);
  for (const name of names.filter((each) => each === 'index' || each.startsWith('sharedindex.'))) {
    try {
      const { atime, mtime } = await stat(join(from, name));
      await copyFile(join(from, name), join(to, name));
      await utimes(join(to, name), atime, mtime);
    } catch (error) {
      if (!isRecord(error) || error.code !== 'ENOENT') throw error;
    }
  }
}
