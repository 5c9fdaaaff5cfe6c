import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepToken, readToken } from './token-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'token-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a token is made once, for its owner alone, and found again', async () => {
  const path = join(folder, 'daemon', 'token');
  expect(await readToken(path)).toBeNull();
  const token = await keepToken(path);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(readFileSync(path, 'utf8').trim()).toBe(token);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'daemon')).mode & 0o777).toBe(0o700);
  expect([await keepToken(path), await readToken(path)]).toEqual([token, token]);
});

test('of many that make one at once, all have the same', async () => {
  const path = join(folder, 'token');
  const tokens = await Promise.all(Array.from({ length: 20 }, () => keepToken(path)));
  expect(new Set(tokens).size).toBe(1);
  expect(readdirSync(folder)).toEqual(['token']);
});

test('a file that became readable for others is closed again', async () => {
  const path = join(folder, 'token');
  const token = await keepToken(path);
  chmodSync(path, 0o644);
  expect(await keepToken(path)).toBe(token);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('what is no token, or a link to one, is not used', async () => {
  const path = join(folder, 'token');
  writeFileSync(path, 'short\n');
  await expect(keepToken(path)).rejects.toThrow('holds no token');
  rmSync(path);
  writeFileSync(join(folder, 'other'), 'x'.repeat(43));
  symlinkSync(join(folder, 'other'), path);
  await expect(keepToken(path)).rejects.toThrow();
});
