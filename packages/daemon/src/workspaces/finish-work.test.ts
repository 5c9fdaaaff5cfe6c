import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { commitWork, discardWork, mergeWork } from './finish-work.ts';
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

describe('the work of a worktree', () => {
  it('is committed whole, new files too, in the name of the person', async () => {
    const { workspace, write } = await begin();
    write('a.txt', 'two\n');
    write('new.txt', 'new\n');
    const { commit } = await commitWork(workspace, 'What was asked for');
    expect(await git(workspace.path, ['status', '--porcelain'])).toBe('');
    expect(await git(workspace.path, ['log', '-1', '--format=%H %an %s'])).toBe(`${commit} Ada What was asked for`);
    await expect(commitWork(workspace, 'again')).rejects.toThrow('nothing to commit');
  });

  it('is merged into the branch that it began from, whose work tree follows', async () => {
    const { cwd, workspace, write } = await begin();
    write('new.txt', 'new\n');
    await commitWork(workspace, 'new');
    expect(await mergeWork(workspace, 'merge')).toMatchObject({ into: 'main' });
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('new\n');
    expect(await git(cwd, ['status', '--porcelain'])).toBe('');
    await expect(mergeWork(workspace, 'merge')).rejects.toThrow('has all of it already');
  });

  it('is joined with what the branch has got since then, checked out or not', async () => {
    const { cwd, workspace, save, write } = await begin();
    await save('b.txt', 'b\n');
    write('new.txt', 'new\n');
    await commitWork(workspace, 'new');
    await git(cwd, ['switch', '-q', '-c', 'elsewhere']);
    const { commit } = await mergeWork(workspace, 'Both');
    expect(await git(cwd, ['rev-parse', 'main'])).toBe(commit);
    expect(await git(cwd, ['show', 'main:new.txt'])).toBe('new');
    expect(await git(cwd, ['show', 'main:b.txt'])).toBe('b');
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
  });

  it('is not merged where both have changed the same lines, and nothing has changed by the attempt', async () => {
    const { cwd, workspace, save, write } = await begin();
    write('a.txt', 'theirs\n');
    await commitWork(workspace, 'theirs');
    await save('a.txt', 'ours\n');
    const before = await git(cwd, ['rev-parse', 'main']);
    await expect(mergeWork(workspace, 'merge')).rejects.toThrow('change the same lines: a.txt');
    expect(await git(cwd, ['rev-parse', 'main'])).toBe(before);
    expect(await git(cwd, ['status', '--porcelain'])).toBe('');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('ours\n');
  });

  it('is committed and merged in one step', async () => {
    const { cwd, workspace, save, write } = await begin();
    await save('b.txt', 'b\n');
    write('new.txt', 'new\n');
    const { commit } = await mergeWork(workspace, 'Both', { commitAs: 'What was asked for' });
    expect(await git(cwd, ['rev-parse', 'main'])).toBe(commit);
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('new\n');
    expect(await git(workspace.path, ['log', '-1', '--format=%an %s'])).toBe('Ada What was asked for');
    expect(await git(workspace.path, ['status', '--porcelain'])).toBe('');
    expect(await git(cwd, ['status', '--porcelain'])).toBe('');
    // With nothing uncommitted it is a merge.
    write('more.txt', 'more\n');
    await commitWork(workspace, 'more');
    await mergeWork(workspace, 'More', { commitAs: 'unused' });
    expect(readFileSync(join(cwd, 'more.txt'), 'utf8')).toBe('more\n');
    expect(await git(cwd, ['log', '--format=%s', 'main'])).not.toContain('unused');
  });

  it('stays uncommitted after a merge that was to commit it meets a conflict', async () => {
    const { cwd, workspace, save, write } = await begin();
    write('a.txt', 'theirs\n');
    write('new.txt', 'new\n');
    await save('a.txt', 'ours\n');
    const before = await git(workspace.path, ['rev-parse', 'HEAD']);
    await expect(mergeWork(workspace, 'merge', { commitAs: 'work' })).rejects.toThrow('change the same lines: a.txt');
    // The same where the folder of the person is in the way.
    write('a.txt', 'one\n');
    writeFileSync(join(cwd, 'new.txt'), 'of the person\n');
    await expect(mergeWork(workspace, 'merge', { commitAs: 'work' })).rejects.toThrow('cannot follow');
    expect(await git(workspace.path, ['rev-parse', 'HEAD'])).toBe(before);
    expect(await git(workspace.path, ['status', '--porcelain'])).toBe('?? new.txt');
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('of the person\n');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('ours\n');
  });

  it('is not merged over uncommitted work, of the agent or of the person', async () => {
    const { cwd, workspace, write } = await begin();
    write('a.txt', 'two\n');
    await expect(mergeWork(workspace, 'merge')).rejects.toThrow('uncommitted work');
    await commitWork(workspace, 'two');
    writeFileSync(join(cwd, 'a.txt'), 'mine, not saved\n');
    await expect(mergeWork(workspace, 'merge')).rejects.toThrow('cannot follow');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('mine, not saved\n');
    expect(await git(cwd, ['show', 'main:a.txt'])).toBe('one');
  });

  it('is discarded to a ref, committed or not, each time to another', async () => {
    const { cwd, workspace, write, saved } = await begin();
    write('a.txt', 'two\n');
    await commitWork(workspace, 'two');
    write('new.txt', 'new\n');
    const { savedRef } = await discardWork('s1', workspace, saved);
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(workspace.path, 'new.txt'))).toBe(false);
    expect(await git(cwd, ['show', `${savedRef}:new.txt`])).toBe('new');
    expect(await git(cwd, ['show', `${savedRef}:a.txt`])).toBe('two');
    expect(await discardWork('s1', workspace, saved)).toEqual({ savedRef: null, savedPath: null });
    write('a.txt', 'three\n');
    const again = await discardWork('s1', workspace, saved);
    expect(again.savedRef).not.toBe(savedRef);
    expect(await git(cwd, ['show', `${savedRef}:a.txt`])).toBe('two');
  });

  it('is left alone where the agent has gone to another branch', async () => {
    const { workspace, write, saved } = await begin();
    await git(workspace.path, ['switch', '-q', '-c', 'mine']);
    write('a.txt', 'two\n');
    const orders = [
      () => commitWork(workspace, 'x'),
      () => mergeWork(workspace, 'x'),
      () => discardWork('s1', workspace, saved),
    ];
    for (const order of orders) await expect(order()).rejects.toThrow('not on its branch');
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('two\n');
  });
});
