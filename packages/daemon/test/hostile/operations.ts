import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository } from '@agent-mux/core/git';
import { expect } from 'vitest';
import { diffWorkspace } from '../../src/http/git/workspace-diff.ts';
import { commitWorktree, discardWorktree, mergeWorktree } from '../../src/workspaces/finish-work.ts';
import { planFork } from '../../src/workspaces/fork-worktree.ts';
import { removeWorktree } from '../../src/workspaces/save-work.ts';
import { createWorktree } from '../../src/workspaces/worktree.ts';
import type { HostileRepository } from './repositories.ts';
import { CHANGED, change, type World } from './world.ts';

export const OPERATIONS = [
  'find repository',
  'list changes',
  'create worktree',
  'show changes',
  'fork',
  'commit',
  'merge',
  'discard',
  'remove',
] as const;
export type Operation = (typeof OPERATIONS)[number];

const LIMITS = { diffBytes: 1_000_000, diffMs: 15_000, untrackedFiles: 50 };

/**
 * Each operation of the product that starts git, with its expected effects. They run in this order on one repository.
 */
export const RUN: Readonly<Record<Operation, (world: World, repository: HostileRepository) => Promise<void>>> = {
  async 'find repository'({ work }) {
    expect(await findRepository(work)).toMatchObject({ top: work });
  },

  async 'list changes'(world, { hide, shows = [] }) {
    change(world, world.work, 'in the folder');
    hide?.(world, world.work);
    const { files, ignored = [] } = await diffWorkspace({ kind: 'folder', path: world.work }, LIMITS);
    const seen = [...files.map(({ path }) => path), ...ignored];
    expect(seen).toEqual(expect.arrayContaining([...CHANGED, ...shows]));
  },

  async 'create worktree'(world) {
    clean(world);
    const { workspace } = await createWorktree({ cwd: world.work, id: 's1', folder: world.trees }, {});
    world.worktree = workspace;
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('one\n');
  },

  async 'show changes'(world, { hide, shows = [], leftovers = [] }) {
    const { path } = treeOf(world);
    change(world, path, 'by the agent');
    hide?.(world, path);
    const { files, ignored = [], uncommitted } = await diffWorkspace(treeOf(world), LIMITS);
    const seen = [...files.map((file) => file.path), ...ignored];
    expect(seen).toEqual(expect.arrayContaining([...CHANGED, ...shows]));
    for (const left of leftovers.filter((name) => !name.includes('.git/'))) expect(seen).toContain(left);
    expect(uncommitted).toBeGreaterThanOrEqual(CHANGED.length);
  },

  async fork(world) {
    const plan = await planFork({ id: 's1', cwd: treeOf(world).path }, treeOf(world), true);
    if (plan.changes !== undefined) expect(blob(world, `${plan.changes}:a.txt`)).toBe('by the agent\n');
  },

  async commit(world) {
    const { commit } = await commitWorktree(treeOf(world), 'work');
    for (const name of CHANGED) expect(blob(world, `${commit}:${name}`)).toBe('by the agent\n');
  },

  async merge(world) {
    const { commit } = await mergeWorktree(treeOf(world), 'merge');
    expect(blob(world, `main:a.txt`)).toBe('by the agent\n');
    expect(readFileSync(join(world.work, 'a.txt'), 'utf8')).toBe('by the agent\n');
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
  },

  async discard(world, { hide }) {
    const { path } = treeOf(world);
    change(world, path, 'to be discarded');
    hide?.(world, path);
    const { savedRef } = await discardWorktree('s1', treeOf(world), world.saved);
    for (const name of CHANGED) expect(blob(world, `${savedRef}:${name}`)).toBe('to be discarded\n');
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(path, 'new.x'))).toBe(false);
  },

  async remove(world, { hide, shows = [], leftovers = [] }) {
    const { path } = treeOf(world);
    change(world, path, 'to be saved');
    hide?.(world, path);
    const { savedRef, savedPath } = await removeWorktree('s1', treeOf(world), world.saved);
    expect(existsSync(path)).toBe(false);
    const saved = (name: string) => (savedPath === null ? undefined : join(savedPath, name));
    for (const name of CHANGED)
      expect(savedRef === null ? readFileSync(saved(name)!, 'utf8') : blob(world, `${savedRef}:${name}`)).toBe(
        'to be saved\n',
      );
    for (const name of leftovers) expect(existsSync(saved(name) ?? '')).toBe(true);
    for (const name of shows.filter((one) => !leftovers.includes(one)))
      expect(savedRef === null ? readFileSync(saved(name)!, 'utf8') : blob(world, `${savedRef}:${name}`)).toBe('x\n');
  },
};

function treeOf({ worktree }: World) {
  if (!worktree) throw new Error('the worktree was not created');
  return worktree;
}

/** Runs git without the settings of the repository. */
function blob({ work, root }: World, name: string): string {
  return execFileSync('git', ['cat-file', 'blob', name], {
    encoding: 'utf8',
    timeout: 10_000,
    env: { PATH: process.env.PATH, HOME: root, GIT_DIR: join(work, '.git'), GIT_NO_REPLACE_OBJECTS: '1' },
  });
}

/** Restores the folder of the user to its committed state. */
function clean({ work, put }: World): void {
  for (const name of ['a.txt', 'b.x']) put(join(work, name), 'one\n');
  execFileSync('rm', ['-rf', 'new.x', 'nested', 'deep', 'secret', 'A.TXT', '.gitignore', 'new\nline "x"\t'], {
    cwd: work,
  });
}
