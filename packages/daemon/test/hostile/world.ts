import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Worktree } from '../../src/workspaces/worktree.ts';

/** A repository, a program that leaves a mark when it runs, and the worktree of a session. */
export interface World {
  root: string;
  /** The work tree of the user. */
  work: string;
  /** A program that leaves the mark, then prints its input. */
  program: string;
  /** Where worktrees and saved files go. */
  trees: string;
  saved: string;
  /** Set by the operation that creates it. */
  worktree: Worktree | undefined;
  wasRun(): boolean;
  /** Runs git with the settings of the repository. */
  git(...args: string[]): string;
  put(path: string, text: string): void;
  remove(): void;
}

export function createWorld(): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hostile-')));
  const [work, program, mark] = [join(root, 'work'), join(root, 'program.sh'), join(root, 'it-was-run')];
  mkdirSync(work);
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  chmodSync(program, 0o755);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', work, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 10_000,
      killSignal: 'SIGKILL',
      env: { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_ALLOW_PROTOCOL: 'file:ext:ssh' },
    }).trim();
  const world: World = {
    ...{ root, work, program, trees: join(root, 'trees'), saved: join(root, 'saved'), worktree: undefined, git },
    wasRun: () => existsSync(mark),
    put(path, text) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@localhost');
  world.put(join(work, 'a.txt'), 'one\n');
  world.put(join(work, 'b.x'), 'one\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  return world;
}

/** Changes two files and adds one, as an agent or a person would. */
export function change(world: World, top: string, text: string): void {
  for (const name of CHANGED) world.put(join(top, name), `${text}\n`);
}
export const CHANGED = ['a.txt', 'b.x', 'new.x'];
