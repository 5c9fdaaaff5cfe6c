import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { removeWorktree } from './save-work.ts';
import { createWorktree, restoreWorktree } from './worktree.ts';

const git = async (cwd: string, args: readonly string[]): Promise<string> =>
  execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const AUTHOR = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];

async function repository() {
  const root = mkdtempSync(join(tmpdir(), 'w-'));
  folders.push(root);
  const cwd = join(root, 'repo');
  mkdirSync(join(cwd, 'below'), { recursive: true });
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  writeFileSync(join(cwd, 'below', 'b.txt'), 'b\n');
  await git(cwd, ['init', '-q', '-b', 'main']);
  await git(cwd, ['add', '.']);
  await git(cwd, [...AUTHOR, 'commit', '-q', '-m', 'first']);
  return { cwd, folder: join(root, 'trees'), saved: join(root, 'saved') };
}

describe('worktree', () => {
  it('is created on its own branch and used in the same subfolder', async () => {
    const { cwd, folder } = await repository();
    const made = await createWorktree({ cwd: join(cwd, 'below'), id: 's1', folder }, {});
    expect(made.cwd).toBe(join(folder, 's1', 'below'));
    expect(readFileSync(join(made.cwd, 'b.txt'), 'utf8')).toBe('b\n');
    expect(made.workspace).toMatchObject({ branch: 'amux/s1', baseBranch: 'main', repository: cwd });
    expect(await git(made.workspace.path, ['symbolic-ref', '--short', 'HEAD'])).toBe('amux/s1');
  });

  it('saves uncommitted work to a ref on removal and restores it', async () => {
    const { cwd, folder, saved } = await repository();
    const { workspace } = await createWorktree({ cwd, id: 's1', folder }, {});
    writeFileSync(join(workspace.path, 'a.txt'), 'two\n');
    writeFileSync(join(workspace.path, 'new.txt'), 'new\n');
    writeFileSync(join(workspace.path, 'staged.txt'), 'staged\n');
    await git(workspace.path, ['add', 'staged.txt']);
    const removed = await removeWorktree('s1', workspace, saved);
    expect(existsSync(workspace.path)).toBe(false);
    expect(removed).toMatchObject({ removed: true, savedRef: 'refs/agent-mux/s1' });
    for (const [file, text] of [
      ['a.txt', 'two'],
      ['new.txt', 'new'],
      ['staged.txt', 'staged'],
    ])
      expect(await git(cwd, ['show', `refs/agent-mux/s1:${file}`])).toBe(text);
    expect(await git(cwd, ['show', 'amux/s1:a.txt'])).toBe('one');
    const back = await restoreWorktree(removed);
    expect(readFileSync(join(back.path, 'new.txt'), 'utf8')).toBe('new\n');
    expect(await git(back.path, ['log', '--format=%s'])).toBe('first');
  });

  it('runs no hooks of the repository', async () => {
    const { cwd, folder, saved } = await repository();
    const mark = join(cwd, 'ran');
    for (const hook of ['post-checkout', 'reference-transaction'])
      writeFileSync(join(cwd, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    const { workspace } = await createWorktree({ cwd, id: 's1', folder }, {});
    await removeWorktree('s1', workspace, saved);
    expect(existsSync(mark)).toBe(false);
  });

  it.each([
    [{ branch: '--force' }, 'is not a valid branch name'],
    [{ branch: 'main' }, 'branch main already exists'],
    [{ base: '--upload-pack=touch' }, 'has no commit'],
    [{ base: 'nowhere' }, 'has no commit'],
  ])('is refused with %o', async (options, why) => {
    const { cwd, folder } = await repository();
    await expect(createWorktree({ cwd, id: 's1', folder }, options)).rejects.toThrow(why);
    expect(existsSync(join(folder, 's1'))).toBe(false);
  });

  it('is refused outside a repository, with a hint', async () => {
    const root = mkdtempSync(join(tmpdir(), 'w-'));
    folders.push(root);
    await expect(createWorktree({ cwd: root, id: 's1', folder: join(root, 't') }, {})).rejects.toMatchObject({
      code: 'WORKSPACE_ERROR',
      hint: expect.stringContaining('git init'),
    });
  });
});
