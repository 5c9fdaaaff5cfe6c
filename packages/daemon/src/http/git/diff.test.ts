import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileDiff } from '@agent-mux/api/schemas';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { diffWorkspace } from './workspace-diff.ts';

const LIMITS = { diffBytes: 1_000_000, diffMs: 20_000, untrackedFiles: 50 };

let root: string;
let work: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'diff-')));
  work = join(root, 'work');
  mkdirSync(work);
  git('init', '--quiet', '--initial-branch=main');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('amux-git-'))).toEqual([]);
});

function git(...args: string[]): string {
  const env = { PATH: process.env.PATH ?? '', HOME: root, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const actor = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
  return execFileSync('git', [...actor, ...args], {
    cwd: work,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}
const put = (name: string, text: string | Buffer) => writeFileSync(join(work, name), text);
const commit = () => {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'a step');
};
const folder = (path = work) => ({ kind: 'folder' as const, path });
const brief = (files: readonly FileDiff[]) =>
  Object.fromEntries(files.map(({ path, status, added, removed }) => [path, [status, added, removed]]));

describe('diffWorkspace', () => {
  test('lists changed and untracked files', async () => {
    for (const name of ['changed', 'gone', 'old name', 'same']) put(name, `${name}\n${'line\n'.repeat(20)}`);
    put('.gitignore', 'ignored\n');
    commit();
    put('changed', `other\n${'line\n'.repeat(20)}more\n`);
    rmSync(join(work, 'gone'));
    git('mv', 'old name', 'new name');
    put('ignored', 'x');
    put('new\t"ü" file', 'one\ntwo');
    put('bytes', Buffer.from([0, 1, 2, 0]));
    mkdirSync(join(work, 'sub'));
    put('sub/empty', '');
    const { files, truncated, base } = await diffWorkspace(folder(), LIMITS);
    expect(truncated).toBe(false);
    expect(base).toBe(git('rev-parse', 'HEAD'));
    expect(brief(files)).toEqual({
      changed: ['modified', 2, 1],
      gone: ['deleted', 0, 21],
      'new name': ['renamed', 0, 0],
      'new\t"ü" file': ['added', 2, 0],
      bytes: ['added', null, null],
      'sub/empty': ['added', 0, 0],
    });
    const by = new Map(files.map((file) => [file.path, file]));
    expect(by.get('new name')?.oldPath).toBe('old name');
    expect(by.get('changed')?.patch).toContain('\n-changed\n+other\n');
    expect(by.get('new\t"ü" file')?.patch).toContain('\n+one\n+two\n\\ No newline at end of file\n');
    expect(by.get('bytes')?.patch).toBeNull();
    for (const { path, patch } of files)
      if (patch !== null && !path.includes('\t')) expect(patch.split('\n')[0]).toContain(path);
  });

  test('detects a change of equal length in the second of the commit', async () => {
    // Git compares files by length and modification time in seconds.
    const second = (name: string) => Math.floor(statSync(join(work, name)).mtimeMs / 1000);
    do {
      put('file.txt', 'one\n');
      commit();
      put('file.txt', 'two\n');
    } while (second('file.txt') !== second('.git/index'));
    const after = second('.git/index') + 1;
    await expect.poll(() => Date.now() / 1000, { interval: 20 }).toBeGreaterThan(after);
    const { files } = await diffWorkspace(folder(), LIMITS);
    expect(brief(files)).toEqual({ 'file.txt': ['modified', 1, 1] });
  });

  test('does not change the repository', async () => {
    put('tracked', 'a\n');
    commit();
    put('new', 'b\n');
    const before = [
      git('status', '--porcelain'),
      readFileSync(join(work, '.git/index')).toString('hex'),
      git('count-objects'),
    ];
    await diffWorkspace(folder(), LIMITS);
    expect([
      git('status', '--porcelain'),
      readFileSync(join(work, '.git/index')).toString('hex'),
      git('count-objects'),
    ]).toEqual(before);
  });

  test('shows everything if nothing is committed yet', async () => {
    put('first', 'a\n');
    git('add', 'first');
    put('second', 'b\n');
    const { base, files } = await diffWorkspace(folder(), LIMITS);
    expect(base).toBeNull();
    expect(brief(files)).toEqual({ first: ['added', 1, 0], second: ['added', 1, 0] });
  });

  test('shows all changes of a worktree since its base, committed or not', async () => {
    put('a', '1\n');
    commit();
    const start = git('rev-parse', 'HEAD');
    const tree = join(root, 'tree');
    git('worktree', 'add', '--quiet', '-b', 'side', tree);
    writeFileSync(join(tree, 'committed'), 'x\n');
    execFileSync(
      'git',
      ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'x', '--allow-empty'],
      { cwd: tree },
    );
    execFileSync('git', ['add', '--all'], { cwd: tree });
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'y'], { cwd: tree });
    writeFileSync(join(tree, 'loose'), 'y\n');
    const workspace = {
      kind: 'worktree' as const,
      path: tree,
      repository: work,
      branch: 'side',
      base: start,
      baseBranch: 'main',
      removed: false,
      savedRef: null,
    };
    expect(brief((await diffWorkspace(workspace, LIMITS)).files)).toEqual({
      committed: ['added', 1, 0],
      loose: ['added', 1, 0],
    });
  });

  test('shows only changes below a subfolder', async () => {
    mkdirSync(join(work, 'part'));
    put('part/a', '1\n');
    put('top', '1\n');
    commit();
    put('part/a', '2\n');
    put('part/new', '2\n');
    put('top', '2\n');
    const { files } = await diffWorkspace(folder(join(work, 'part')), LIMITS);
    expect(brief(files)).toEqual({ a: ['modified', 1, 1], new: ['added', 1, 0] });
  });

  test('marks unmerged files', async () => {
    put('both', 'base\n');
    commit();
    git('checkout', '--quiet', '-b', 'side');
    put('both', 'side\n');
    commit();
    git('checkout', '--quiet', 'main');
    put('both', 'main\n');
    commit();
    expect(() => git('merge', 'side')).toThrow();
    const { files } = await diffWorkspace(folder(), LIMITS);
    expect(files.map(({ path, status }) => [path, status])).toEqual([['both', 'unmerged']]);
  });

  test('shows the files of a nested repository and names its folder', async () => {
    put('a', '1\n');
    commit();
    mkdirSync(join(work, 'nested'));
    execFileSync('git', ['init', '--quiet'], { cwd: join(work, 'nested') });
    writeFileSync(join(work, 'nested/x'), 'x');
    put('b', '2\n');
    const { files, nested } = await diffWorkspace(folder(), LIMITS);
    expect(brief(files)).toEqual({ b: ['added', 1, 0], 'nested/x': ['added', 1, 0] });
    expect(nested).toEqual(['nested/']);
  });

  test('truncates a long diff and reports it', async () => {
    put('a', 'x\n');
    commit();
    for (let at = 0; at < 5; at += 1) put(`big${at}`, 'long line\n'.repeat(20_000));
    const { files, truncated } = await diffWorkspace(folder(), { ...LIMITS, diffBytes: 500_000 });
    expect(truncated).toBe(true);
    expect(files).toHaveLength(5);
    expect(files.map(({ patch }) => patch === null)).toEqual([false, false, true, true, true]);
    const few = await diffWorkspace(folder(), { ...LIMITS, untrackedFiles: 2 });
    expect([few.files.length, few.truncated]).toEqual([2, true]);
  });

  test('respects its time limit', async () => {
    put('a', 'x\n');
    commit();
    await expect(diffWorkspace(folder(), { ...LIMITS, diffMs: 0 })).rejects.toMatchObject({ code: 'WORKSPACE_ERROR' });
  });

  test('fails outside a git repository', async () => {
    const plain = join(root, 'plain');
    mkdirSync(plain);
    await expect(diffWorkspace(folder(plain), LIMITS)).rejects.toMatchObject({ code: 'WORKSPACE_ERROR' });
    await expect(diffWorkspace(folder(join(root, 'none')), LIMITS)).rejects.toMatchObject({ code: 'WORKSPACE_ERROR' });
  });
});

describe('malicious repository', () => {
  test('cannot make git run programs', async () => {
    const mark = join(root, 'it-was-run');
    const script = join(root, 'run.sh');
    writeFileSync(script, `#!/bin/sh\ntouch ${mark}\ncat\n`);
    chmodSync(script, 0o755);
    put('file.x', 'one\n');
    commit();
    put('file.x', 'two\n');
    put('new.x', 'three\n');
    put('.gitattributes', '*.x filter=evil diff=evil merge=evil\n');
    mkdirSync(join(work, '.git/hooks'), { recursive: true });
    for (const hook of ['post-index-change', 'fsmonitor-watchman', 'pre-commit', 'reference-transaction']) {
      writeFileSync(join(work, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`);
      chmodSync(join(work, '.git/hooks', hook), 0o755);
    }
    const settings = {
      'filter.evil.clean': script,
      'filter.evil.smudge': script,
      'filter.evil.process': script,
      'filter.evil.required': 'true',
      'diff.evil.command': script,
      'diff.evil.textconv': script,
      'diff.external': script,
      'core.fsmonitor': script,
      'core.pager': script,
      'core.sshCommand': script,
      'core.alternateRefsCommand': script,
      'interactive.diffFilter': script,
      'pager.diff': script,
      'alias.diff': `!${script}`,
    };
    for (const [name, value] of Object.entries(settings)) git('config', name, value);
    const { files } = await diffWorkspace(folder(), LIMITS);
    expect(existsSync(mark)).toBe(false);
    expect(brief(files)).toMatchObject({ 'file.x': ['modified', 1, 1], 'new.x': ['added', 1, 0] });
    // The configuration does run a program with plain git.
    expect(() => git('diff', 'HEAD')).toThrow('evil');
    expect(existsSync(mark)).toBe(true);
  });

  test('cannot point its work tree to another folder', async () => {
    put('a', '1\n');
    commit();
    mkdirSync(join(root, 'other'));
    writeFileSync(join(root, 'other/secret'), 'not for this workspace\n');
    git('config', 'core.worktree', join(root, 'other'));
    await expect(diffWorkspace(folder(), LIMITS)).rejects.toMatchObject({ code: 'WORKSPACE_ERROR' });
  });
});
