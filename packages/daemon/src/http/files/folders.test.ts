import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderList } from '@agent-mux/api/schemas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedApi, serveApi } from '../../../test/served-api.ts';

let api: ServedApi;
beforeAll(async () => {
  // The home folder is the folder of the test.
  api = await serveApi({ folders: 5, folderEntries: 300 });
  for (const name of ['projects/app/.git', 'projects/apply/src', 'projects/Apple', 'projects/.hidden', 'many'])
    mkdirSync(join(api.folder, name), { recursive: true });
  writeFileSync(join(api.folder, 'projects/app.txt'), 'no folder');
  symlinkSync(join(api.folder, 'projects/app'), join(api.folder, 'projects/app-link'));
  symlinkSync('app-loop', join(api.folder, 'projects/app-loop'));
  for (let at = 0; at < 400; at += 1) mkdirSync(join(api.folder, 'many', `m${at}`));
});
afterAll(() => api.stop());

async function list(typed: string): Promise<FolderList> {
  const answer = await api.ask(`/api/v1/folders?path=${encodeURIComponent(typed)}`);
  expect([typed, answer.status]).toEqual([typed, 200]);
  return JSON.parse(answer.text);
}
const namesOf = ({ folders }: FolderList) => folders.map(({ name }) => name);

test('completes folders and links, exact case first, without files', async () => {
  const typed = join(api.folder, 'projects/ap');
  const found = await list(typed);
  expect(found).toMatchObject({ path: typed, kind: 'missing', truncated: false });
  expect(namesOf(found)).toEqual(['app', 'app-link', 'apply', 'Apple']);
  expect(found.folders.map(({ isRepository }) => isRepository)).toEqual([true, true, false, false]);
  expect(namesOf(await list(join(api.folder, 'projects/app')))).toContain('apply');
});

test('opens a folder on a slash and resolves tilde and relative paths from home', async () => {
  expect(namesOf(await list(`${join(api.folder, 'projects/apply')}/`))).toEqual(['src']);
  for (const typed of ['~/projects/apply', 'projects/apply'])
    expect(await list(typed)).toMatchObject({ path: join(api.folder, 'projects/apply'), kind: 'folder' });
  expect(namesOf(await list('~/'))).toContain('projects');
  expect(namesOf(JSON.parse((await api.ask('/api/v1/folders')).text))).toContain('projects');
});

test('offers hidden folders only after a dot', async () => {
  expect(namesOf(await list('~/projects/'))).not.toContain('.hidden');
  expect(namesOf(await list('~/projects/.h'))).toEqual(['.hidden']);
});

test('reports whether a folder is in a git repository', async () => {
  mkdirSync(join(api.folder, 'projects/app/src/deep'), { recursive: true });
  expect(await list('~/projects/app/src/deep')).toMatchObject({ kind: 'folder', inRepository: true });
  expect(await list('~/projects/apply')).toMatchObject({ kind: 'folder', inRepository: false });
  expect(await list('~/projects/app/nowhere')).toMatchObject({ kind: 'missing', inRepository: false });
});

test('truncates a huge folder and reports it', async () => {
  const found = await list('~/many/');
  expect([found.folders.length, found.truncated]).toEqual([5, true]);
});

test('never fails for files, unreadable folders or odd paths', async () => {
  expect(await list('~/projects/app.txt')).toMatchObject({ kind: 'other', folders: [] });
  expect(await list('~/projects/app.txt/x')).toMatchObject({ kind: 'missing', folders: [] });
  expect(await list('~/projects/app-loop/')).toMatchObject({ folders: [] });
  const odd = join(api.folder, 'odd');
  mkdirSync(odd);
  for (const name of [Buffer.from([0x61, 0xff, 0xfe]), Buffer.from('a\nb'), Buffer.from('a ü')])
    mkdirSync(Buffer.concat([Buffer.from(`${odd}/`), name]));
  expect(namesOf(await list(`${odd}/`))).toEqual(['a ü']);
  if (process.getuid?.() !== 0) {
    const closed = join(api.folder, 'closed');
    mkdirSync(join(closed, 'in'), { recursive: true });
    chmodSync(closed, 0);
    expect(await list(`${closed}/`)).toMatchObject({ kind: 'folder', folders: [] });
    expect(await list(`${closed}/in`)).toMatchObject({ kind: 'unreadable', folders: [] });
    chmodSync(closed, 0o700);
  }
  expect(api.logged).toEqual([]);
});

test('does not expand variables and requires authentication', async () => {
  expect((await list('{HOME:-x}')).path).toBe(join(api.folder, '{HOME:-x}'));
  expect((await list('$HOME')).path).toBe(join(api.folder, '$HOME'));
  expect((await api.ask('/api/v1/folders?path=%2F', { token: null })).status).toBe(401);
  expect((await api.ask('/api/v1/folders?path=%00')).status).toBe(422);
});
