import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { createSession, NOON } from '../store/suite/fixtures.ts';
import { dropScratch, findScratch } from './scratch.ts';

let root: string;
let scratch: string;
let store: Store;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'scratch-')));
  scratch = join(root, 'scratch');
  mkdirSync(join(scratch, 'abc123', 'deep'), { recursive: true });
  writeFileSync(join(scratch, 'abc123', 'hello.txt'), 'hello');
  mkdirSync(join(root, 'work', 'precious'), { recursive: true });
  store = await openStore(join(root, 'store.sqlite'), { now: () => NOON, report: () => {} });
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

const drop = (cwd: string) => dropScratch(store, scratch, { cwd });

it('deletes the folder with its session, also if the session ran in a subfolder', async () => {
  await drop(join(scratch, 'abc123', 'deep'));
  expect(existsSync(join(scratch, 'abc123'))).toBe(false);
  expect(existsSync(scratch)).toBe(true);
});

it('keeps the folder while another session uses it', async () => {
  const folder = join(scratch, 'abc123');
  await store.insertSession(createSession('fork', { cwd: join(folder, 'deep') }));
  await drop(folder);
  expect(existsSync(folder)).toBe(true);
  await store.deleteSession('fork');
  await store.insertSession(
    createSession('tree', {
      cwd: join(root, 'work'),
      workspace: {
        ...{ kind: 'worktree', path: join(root, 'work'), repository: folder, branch: 'b', base: 'c' },
        ...{ baseBranch: null, removed: false, savedRef: null },
      },
    }),
  );
  await drop(folder);
  expect(existsSync(folder)).toBe(true);
  await store.deleteSession('tree');
  await drop(folder);
  expect(existsSync(folder)).toBe(false);
});

it('leaves the root, its siblings and link targets alone', async () => {
  symlinkSync(join(root, 'work'), join(scratch, 'fedcba'));
  symlinkSync(join(root, 'work', 'precious'), join(scratch, 'abc123', 'out'));
  for (const cwd of [
    scratch,
    root,
    '/',
    join(root, 'work'),
    join(scratch, 'fedcba'),
    join(scratch, 'fedcba', 'precious'),
    join(scratch, 'abc123', 'out'),
    join(scratch, '..', 'work'),
    join(scratch, 'gone'),
  ]) {
    expect([cwd, await findScratch(scratch, cwd)]).toEqual([cwd, null]);
    await drop(cwd);
  }
  expect(existsSync(join(root, 'work', 'precious'))).toBe(true);
  expect(existsSync(join(scratch, 'abc123', 'hello.txt'))).toBe(true);
});
