import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findNotExecutable, lookupBinary } from './lookup-binary.ts';

let root: string;
let first: string;
let second: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lookup-'));
  [first, second] = [join(root, 'first'), join(root, 'second')];
  await mkdir(first);
  await mkdir(join(second, 'folder'), { recursive: true });
  await writeFile(join(first, 'notes'), 'not executable');
  for (const name of ['acme', 'notes', 'win.cmd', 'both', 'both.exe']) {
    await writeFile(join(second, name), '#!/bin/sh\n');
    await chmod(join(second, name), 0o755);
  }
  await symlink(join(second, 'acme'), join(first, 'linked'));
  await symlink(join(root, 'gone'), join(first, 'dangling'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const env = () => ({ PATH: `${first}:${second}`, HOME: root });

describe.skipIf(process.platform === 'win32')('lookupBinary', () => {
  it('finds the first executable file on PATH', async () => {
    expect(await lookupBinary('acme', { env: env() })).toBe(join(second, 'acme'));
    expect(await lookupBinary('notes', { env: env() })).toBe(join(second, 'notes'));
    expect(await lookupBinary('linked', { env: env() })).toBe(join(first, 'linked'));
  });

  it.each(['missing', 'folder', 'dangling', ''])('does not find %j', async (command) => {
    expect(await lookupBinary(command, { env: env() })).toBeNull();
  });

  it('searches only the passed environment', async () => {
    expect(await lookupBinary('sh', { env: { PATH: first } })).toBeNull();
    expect(await lookupBinary('sh', { env: {} })).toBeNull();
  });

  it('treats a command with a slash as a path', async () => {
    expect(await lookupBinary(join(second, 'acme'), { env: {} })).toBe(join(second, 'acme'));
    expect(await lookupBinary('~/second/acme', { env: env() })).toBe(join(second, 'acme'));
    expect(await lookupBinary('./acme', { env: {}, cwd: second })).toBe(join(second, 'acme'));
    expect(await lookupBinary(join(first, 'acme'), { env: env() })).toBeNull();
  });

  it('never searches the current folder', async () => {
    expect(await lookupBinary('acme', { env: { PATH: `:${first}:` }, cwd: second })).toBeNull();
  });

  it('tries the extensions of Windows, including .cmd', async () => {
    const windows = { env: { Path: second, PATHEXT: '.EXE;.CMD' }, platform: 'win32' as const };
    expect(await lookupBinary('win', windows)).toBe(join(second, 'win.cmd'));
    expect(await lookupBinary('win.cmd', windows)).toBe(join(second, 'win.cmd'));
    expect(await lookupBinary('both', windows)).toBe(join(second, 'both.exe'));
    expect(await lookupBinary('acme', windows)).toBeNull();
  });
});

describe.skipIf(process.platform === 'win32')('findNotExecutable', () => {
  it('reports a file without execute permission, by path and on PATH', () => {
    expect(findNotExecutable(join(first, 'notes'))).toBe(join(first, 'notes'));
    expect(findNotExecutable('notes', { env: env() })).toBe(join(first, 'notes'));
  });

  it('ignores executables, folders, dangling links and missing files', () => {
    for (const name of ['acme', 'folder', 'dangling', 'nothing'])
      expect(findNotExecutable(name, { env: env() })).toBeUndefined();
  });
});
