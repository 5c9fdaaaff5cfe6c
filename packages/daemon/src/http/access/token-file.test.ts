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
import { ensureToken, readToken } from './token-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'token-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('creates a token once, readable by its owner only', async () => {
  const path = join(folder, 'daemon', 'token');
  expect(await readToken(path)).toBeNull();
  const token = await ensureToken(path);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(readFileSync(path, 'utf8').trim()).toBe(token);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'daemon')).mode & 0o777).toBe(0o700);
  expect([await ensureToken(path), await readToken(path)]).toEqual([token, token]);
});

test('returns the same token to concurrent callers', async () => {
  const path = join(folder, 'token');
  const tokens = await Promise.all(Array.from({ length: 20 }, () => ensureToken(path)));
  expect(new Set(tokens).size).toBe(1);
  expect(readdirSync(folder)).toEqual(['token']);
});

test('makes a file private again that others can read', async () => {
  const path = join(folder, 'token');
  const token = await ensureToken(path);
  chmodSync(path, 0o644);
  expect(await ensureToken(path)).toBe(token);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('refuses a file without a token or a link to one', async () => {
  const path = join(folder, 'token');
  writeFileSync(path, 'short\n');
  await expect(ensureToken(path)).rejects.toThrow('does not contain a token');
  rmSync(path);
  writeFileSync(join(folder, 'other'), 'x'.repeat(43));
  symlinkSync(join(folder, 'other'), path);
  await expect(ensureToken(path)).rejects.toThrow();
});
