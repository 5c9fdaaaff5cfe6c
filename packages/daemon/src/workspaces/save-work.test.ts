import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeWorktree } from './save-work.ts';
import { createWorktree, type Worktree } from './worktree.ts';

let root: string;
let work: string;
let tree: Worktree;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'save-')));
  work = join(root, 'work');
  mkdirSync(work);
  git(work, 'init', '-q', '-b', 'main');
  put(work, '.gitignore', '.env\nbuild/\nnode_modules/\ncache/\n');
  git(work, 'add', '.');
  git(work, 'commit', '-q', '-m', 'first');
  tree = (await createWorktree({ cwd: work, id: 's1', folder: join(root, 'trees') }, {})).workspace;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-C', cwd, '-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
const put = (folder: string, name: string, text = 'x\n') => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const remove = () => removeWorktree('s1', tree, join(root, 'saved'));

describe('removeWorktree', () => {
  it('moves ignored files and nested repositories to a folder', async () => {
    for (const name of ['.env', 'build/out/a', 'sub/.env']) put(tree.path, name);
    mkdirSync(join(tree.path, 'nested'));
    git(join(tree.path, 'nested'), 'init', '-q');
    put(tree.path, 'nested/x');
    const { savedRef, savedPath } = await remove();
    expect([savedRef, savedPath]).toEqual([null, join(root, 'saved', 's1')]);
    for (const name of ['.env', 'build/out/a', 'sub/.env', 'nested/x', 'nested/.git/HEAD'])
      expect(readFileSync(join(savedPath!, name), 'utf8')).not.toBe('');
    expect(existsSync(tree.path)).toBe(false);
    expect(git(work, 'worktree', 'list', '--porcelain')).not.toContain(tree.path);
  });

  it('does not save folders that tools recreate', async () => {
    for (const name of ['node_modules/p/index.js', 'cache/CACHEDIR.TAG', 'cache/x']) put(tree.path, name);
    expect(await remove()).toMatchObject({ savedRef: null, savedPath: null });
  });

  it('saves commits that are on no branch', async () => {
    git(tree.path, 'checkout', '-q', '--detach');
    put(tree.path, 'a.txt');
    git(tree.path, 'add', '.');
    git(tree.path, 'commit', '-q', '-m', 'detached');
    expect(await remove()).toMatchObject({ savedRef: 'refs/agent-mux/s1' });
    expect(git(work, 'show', 'refs/agent-mux/s1:a.txt')).toBe('x');
  });

  it.each([
    ['is gone', () => rmSync(work, { recursive: true })],
    ['does not know the worktree', () => rmSync(join(work, '.git/worktrees'), { recursive: true })],
    ['cannot be read', () => writeFileSync(join(work, '.git/config'), '[core')],
  ])('moves all files where the repository %s', async (_, spoil) => {
    put(tree.path, 'a.txt');
    put(tree.path, '.env');
    spoil();
    const { savedPath } = await remove();
    expect([existsSync(join(savedPath!, 'a.txt')), existsSync(join(savedPath!, '.env'))]).toEqual([true, true]);
    expect(existsSync(tree.path)).toBe(false);
  });

  it('succeeds if the folder was already deleted', async () => {
    rmSync(tree.path, { recursive: true });
    expect(await remove()).toMatchObject({ removed: true, savedRef: null, savedPath: null });
    expect(git(work, 'worktree', 'list', '--porcelain')).not.toContain(tree.path);
  });
});
