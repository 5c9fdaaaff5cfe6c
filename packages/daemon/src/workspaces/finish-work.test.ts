import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { commitWorktree, discardWorktree, mergeWorktree } from './finish-work.ts';
import { createWorktree } from './worktree.ts';

const git = async (cwd: string, args: readonly string[]): Promise<string> =>
  execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function begin() {
  const root = mkdtempSync(join(tmpdir(), 'w-'));
  folders.push(root);
  const cwd = join(root, 'repo');
  mkdirSync(cwd);
  await git(cwd, ['init', '-q', '-b', 'main']);
  await git(cwd, ['config', 'user.name', 'Ada']);
  await git(cwd, ['config', 'user.email', 'ada@localhost']);
  const save = async (file: string, text: string) => {
    writeFileSync(join(cwd, file), text);
    await git(cwd, ['add', '.']);
    await git(cwd, ['commit', '-q', '-m', `${file}: ${text.trim()}`]);
  };
  await save('a.txt', 'one\n');
  const { workspace } = await createWorktree({ cwd, id: 's1', folder: join(root, 'trees') }, {});
  const write = (file: string, text: string) => writeFileSync(join(workspace.path, file), text);
  return { cwd, workspace, save, write, saved: join(root, 'saved') };
}

describe('worktree', () => {
  it('commits all work, including new files, as the user', async () => {
    const { workspace, write } = await begin();
    write('a.txt', 'two\n');
    write('new.txt', 'new\n');
    const { commit } = await commitWorktree(workspace, 'What was asked for');
    expect(await git(workspace.path, ['status', '--porcelain'])).toBe('');
    expect(await git(workspace.path, ['log', '-1', '--format=%H %an %s'])).toBe(`${commit} Ada What was asked for`);
    await expect(commitWorktree(workspace, 'again')).rejects.toThrow('nothing to commit');
  });

  it('merges into its base branch and updates the work tree of that branch', async () => {
    const { cwd, workspace, write } = await begin();
    write('new.txt', 'new\n');
    await commitWorktree(workspace, 'new');
    expect(await mergeWorktree(workspace, 'merge')).toMatchObject({ into: 'main' });
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('new\n');
    expect(await git(cwd, ['status', '--porcelain'])).toBe('');
    await expect(mergeWorktree(workspace, 'merge')).rejects.toThrow('is already up to date');
  });

  it('merges with newer commits of the branch, checked out or not', async () => {
    const { cwd, workspace, save, write } = await begin();
    await save('b.txt', 'b\n');
    write('new.txt', 'new\n');
    await commitWorktree(workspace, 'new');
    await git(cwd, ['switch', '-q', '-c', 'other']);
    const { commit } = await mergeWorktree(workspace, 'Both');
    expect(await git(cwd, ['rev-parse', 'main'])).toBe(commit);
    expect(await git(cwd, ['show', 'main:new.txt'])).toBe('new');
    expect(await git(cwd, ['show', 'main:b.txt'])).toBe('b');
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
  });

  it('refuses a merge with conflicts without changing anything', async () => {
    const { cwd, workspace, save, write } = await begin();
    write('a.txt', 'theirs\n');
    await commitWorktree(workspace, 'theirs');
    await save('a.txt', 'ours\n');
    const before = await git(cwd, ['rev-parse', 'main']);
    await expect(mergeWorktree(workspace, 'merge')).rejects.toThrow('conflicts with main in a.txt');
    expect(await git(cwd, ['rev-parse', 'main'])).toBe(before);
    expect(await git(cwd, ['status', '--porcelain'])).toBe('');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('ours\n');
  });

  it('commits and merges in one step', async () => {
    const { cwd, workspace, save, write } = await begin();
    await save('b.txt', 'b\n');
    write('new.txt', 'new\n');
    const { commit } = await mergeWorktree(workspace, 'Both', { commitAs: 'What was asked for' });
    expect(await git(cwd, ['rev-parse', 'main'])).toBe(commit);
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('new\n');
    expect(await git(workspace.path, ['log', '-1', '--format=%an %s'])).toBe('Ada What was asked for');
    expect(await git(workspace.path, ['status', '--porcelain'])).toBe('');
    expect(await git(cwd, ['status', '--porcelain'])).toBe('');
    // Without uncommitted work it only merges.
    write('more.txt', 'more\n');
    await commitWorktree(workspace, 'more');
    await mergeWorktree(workspace, 'More', { commitAs: 'unused' });
    expect(readFileSync(join(cwd, 'more.txt'), 'utf8')).toBe('more\n');
    expect(await git(cwd, ['log', '--format=%s', 'main'])).not.toContain('unused');
  });

  it('leaves work uncommitted if the merge fails', async () => {
    const { cwd, workspace, save, write } = await begin();
    write('a.txt', 'theirs\n');
    write('new.txt', 'new\n');
    await save('a.txt', 'ours\n');
    const before = await git(workspace.path, ['rev-parse', 'HEAD']);
    await expect(mergeWorktree(workspace, 'merge', { commitAs: 'work' })).rejects.toThrow(
      'conflicts with main in a.txt',
    );
    // The same if the user's work tree cannot be updated.
    write('a.txt', 'one\n');
    writeFileSync(join(cwd, 'new.txt'), 'of the person\n');
    await expect(mergeWorktree(workspace, 'merge', { commitAs: 'work' })).rejects.toThrow('cannot be updated');
    expect(await git(workspace.path, ['rev-parse', 'HEAD'])).toBe(before);
    expect(await git(workspace.path, ['status', '--porcelain'])).toBe('?? new.txt');
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('of the person\n');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('ours\n');
  });

  it('does not overwrite uncommitted work of the agent or the user', async () => {
    const { cwd, workspace, write } = await begin();
    write('a.txt', 'two\n');
    await expect(mergeWorktree(workspace, 'merge')).rejects.toThrow('uncommitted work');
    await commitWorktree(workspace, 'two');
    writeFileSync(join(cwd, 'a.txt'), 'mine, not saved\n');
    await expect(mergeWorktree(workspace, 'merge')).rejects.toThrow('cannot be updated');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('mine, not saved\n');
    expect(await git(cwd, ['show', 'main:a.txt'])).toBe('one');
  });

  it('saves discarded work, committed or not, to a new ref each time', async () => {
    const { cwd, workspace, write, saved } = await begin();
    write('a.txt', 'two\n');
    await commitWorktree(workspace, 'two');
    write('new.txt', 'new\n');
    const { savedRef } = await discardWorktree('s1', workspace, saved);
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(workspace.path, 'new.txt'))).toBe(false);
    expect(await git(cwd, ['show', `${savedRef}:new.txt`])).toBe('new');
    expect(await git(cwd, ['show', `${savedRef}:a.txt`])).toBe('two');
    expect(await discardWorktree('s1', workspace, saved)).toEqual({ savedRef: null, savedPath: null });
    write('a.txt', 'three\n');
    const again = await discardWorktree('s1', workspace, saved);
    expect(again.savedRef).not.toBe(savedRef);
    expect(await git(cwd, ['show', `${savedRef}:a.txt`])).toBe('two');
  });

  it('is left alone if the agent has switched branches', async () => {
    const { workspace, write, saved } = await begin();
    await git(workspace.path, ['switch', '-q', '-c', 'mine']);
    write('a.txt', 'two\n');
    const orders = [
      () => commitWorktree(workspace, 'x'),
      () => mergeWorktree(workspace, 'x'),
      () => discardWorktree('s1', workspace, saved),
    ];
    for (const order of orders) await expect(order()).rejects.toThrow('not on its branch');
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('two\n');
  });
});
