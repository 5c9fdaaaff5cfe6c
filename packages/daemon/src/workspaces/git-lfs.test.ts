import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commitWorktree, mergeWorktree } from './finish-work.ts';
import { createWorktree } from './worktree.ts';

const hasLfs = spawnSync('git', ['lfs', 'version']).status === 0;
if (!hasLfs && process.env.AGENT_MUX_REQUIRE_LFS) throw new Error('git-lfs is not installed');

let root: string;
let work: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'lfs-')));
  work = join(root, 'work');
  mkdirSync(work);
  vi.stubEnv('HOME', root);
  vi.stubEnv('XDG_CONFIG_HOME', join(root, '.config'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const allow = (...allowFilters: string[]) => {
  mkdirSync(join(root, '.config/agent-mux'), { recursive: true });
  writeFileSync(join(root, '.config/agent-mux/config.json'), JSON.stringify({ git: { allowFilters } }));
};
const begin = async () => {
  git(work, 'init', '-q', '-b', 'main');
  git(work, 'config', '--global', 'user.name', 'Ada');
  git(work, 'config', '--global', 'user.email', 'ada@localhost');
  git(work, 'lfs', 'install', '--skip-repo');
  writeFileSync(join(work, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  writeFileSync(join(work, 'a.bin'), 'large\n');
  git(work, 'add', '.');
  git(work, 'commit', '-q', '-m', 'first');
  return (await createWorktree({ cwd: work, id: 's1', folder: join(root, 'trees') }, {})).workspace;
};

describe.runIf(hasLfs)('git-lfs', () => {
  it('works in worktrees, commits and merges if the user allows it', async () => {
    allow('lfs');
    const worktree = await begin();
    expect(readFileSync(join(worktree.path, 'a.bin'), 'utf8')).toBe('large\n');
    writeFileSync(join(worktree.path, 'a.bin'), 'larger\n');
    const { commit } = await commitWorktree(worktree, 'larger');
    expect(git(work, 'cat-file', 'blob', `${commit}:a.bin`)).toContain('version https://git-lfs.github.com/spec/v1');
    await mergeWorktree(worktree, 'merge');
    expect(readFileSync(join(work, 'a.bin'), 'utf8')).toBe('larger\n');
    expect(git(work, 'status', '--porcelain')).toBe('');
  });

  it('does not run if not allowed, and nothing is committed without it', async () => {
    const worktree = await begin();
    expect(readFileSync(join(worktree.path, 'a.bin'), 'utf8')).toContain('version https://git-lfs');
    writeFileSync(join(worktree.path, 'a.bin'), 'larger\n');
    await expect(commitWorktree(worktree, 'larger')).rejects.toMatchObject({
      message: 'a.bin needs the git filter "lfs", which agent-mux does not run',
      hint: expect.stringContaining('allowFilters'),
    });
  });

  it('uses the settings of the user, not of the repository', async () => {
    allow('lfs');
    const mark = join(root, 'it-was-run');
    const worktree = await begin();
    for (const name of ['clean', 'smudge', 'process']) git(work, 'config', `filter.lfs.${name}`, `touch ${mark}; cat`);
    writeFileSync(join(worktree.path, 'a.bin'), 'larger\n');
    await commitWorktree(worktree, 'larger');
    expect(existsSync(mark)).toBe(false);
  });
});

describe('allowed filter', () => {
  it('must be defined by the user', async () => {
    allow('missing');
    git(work, 'init', '-q', '-b', 'main');
    await expect(createWorktree({ cwd: work, id: 's1', folder: join(root, 'trees') }, {})).rejects.toMatchObject({
      message: 'the filter "missing" is allowed, but your own git settings do not define it',
    });
  });
});
