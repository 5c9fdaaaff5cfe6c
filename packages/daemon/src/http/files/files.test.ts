import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openRequest, type ServedApi, serveApi } from '../../../test/served-api.ts';
import { listTree } from './tree.ts';
import { openInWorkspace } from './workspace-path.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi({ fileBytes: 100_000, treeEntries: 20 });
  writeFileSync(join(api.folder, 'secret.txt'), 'not for this workspace');
  mkdirSync(join(api.folder, 'outside'));
  writeFileSync(join(api.folder, 'outside', 'notes.txt'), 'not for this workspace');
  mkdirSync(join(api.folder, 'outside', 'deep'));
  writeFileSync(join(api.folder, 'outside', 'deep', 'plans.txt'), 'not for this workspace');
});
afterAll(() => api.stop());

const SECRET = 'not for this workspace';
const upload = (name: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  api.ask(`/api/v1/files?name=${encodeURIComponent(name)}`, { method: 'POST', body, headers });

describe('uploads', () => {
  test('are returned unchanged, as downloads only', async () => {
    const content = Buffer.from(Array.from({ length: 90_000 }, (_, at) => at % 256));
    const stored = await upload('a "photo" ü.png', content, { 'content-type': 'image/png' });
    expect(stored.status).toBe(201);
    const { id, ...facts } = stored.json();
    expect(facts).toEqual({ name: 'a "photo" ü.png', mimeType: 'image/png', bytes: 90_000 });
    const back = await fetchBytes(`/api/v1/files/${id}`);
    expect(back.bytes.equals(content)).toBe(true);
    expect(back.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="a _photo_ _.png"; filename*=UTF-8''a%20%22photo%22%20%C3%BC.png`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
  });

  test('are stored under an id, readable by their owner only', async () => {
    const { id } = (await upload('x.txt', 'content')).json();
    expect(readdirSync(api.paths.files)).toEqual(expect.arrayContaining([`${id}`, `${id}.json`]));
    expect(statSync(join(api.paths.files, `${id}`)).mode & 0o777).toBe(0o600);
    expect(statSync(api.paths.files).mode & 0o777).toBe(0o700);
  });

  test('reject names that are paths', async () => {
    const before = readdirSync(api.folder).sort();
    for (const name of [
      '../up',
      'a/b',
      'a\\b',
      '..',
      '.',
      '',
      '/etc/passwd',
      'nul\0byte',
      'line\nbreak',
      'x'.repeat(256),
    ]) {
      const answer = await upload(name, 'content');
      expect([name, answer.status]).toEqual([name, 422]);
    }
    expect(readdirSync(api.folder).sort()).toEqual(before);
  });

  test('are refused if too large, with or without Content-Length, and leave no files', async () => {
    const before = readdirSync(api.paths.files).length;
    expect((await upload('big', Buffer.alloc(100_001))).status).toBe(413);
    const withoutLength = await new Promise<number>((resolve, reject) => {
      const sent = openRequest(api.port, '/api/v1/files?name=big', {
        method: 'POST',
        headers: { 'transfer-encoding': 'chunked' },
      });
      sent.on('error', reject);
      sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      for (let at = 0; at < 20; at += 1) sent.write(Buffer.alloc(10_000));
      sent.end();
    });
    expect(withoutLength).toBe(413);
    await expect.poll(() => readdirSync(api.paths.files).length).toBe(before);
    expect((await upload('fits', Buffer.alloc(100_000))).status).toBe(201);
  });

  test('leave no files if the sender disconnects', async () => {
    const before = readdirSync(api.paths.files).length;
    const sent = openRequest(api.port, '/api/v1/files?name=half', {
      method: 'POST',
      headers: { 'content-length': '1000' },
    });
    sent.on('error', () => {});
    sent.write('half of it');
    await expect.poll(() => readdirSync(api.paths.files).length).toBe(before + 1);
    sent.destroy();
    await expect.poll(() => readdirSync(api.paths.files).length).toBe(before);
  });

  test('are refused as forms', async () => {
    for (const type of ['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
      expect((await upload('x', 'content', { 'content-type': type })).status).toBe(415);
    }
  });

  test('are found only by their id', async () => {
    const { id } = (await upload('x.txt', 'content')).json();
    writeFileSync(join(api.paths.files, 'loose'), SECRET);
    symlinkSync(join(api.folder, 'secret.txt'), join(api.paths.files, 'linked'));
    const facts = {
      schema: 'agent-mux.file/1',
      id: 'linked',
      name: 'x',
      mimeType: 'text/plain',
      bytes: 1,
      createdAt: 1,
    };
    writeFileSync(join(api.paths.files, 'linked.json'), JSON.stringify(facts));
    for (const other of ['loose', 'linked', `${id}x`, `${id}`.slice(0, 5), 'none']) {
      const answer = await api.ask(`/api/v1/files/${other}`);
      expect([other, answer.status]).toEqual([other, 404]);
    }
    for (const path of [`${id}.json`, '..%2ftoken', '%2e%2e%2ftoken', '..', `../files/${id}.json`]) {
      const answer = await api.ask(`/api/v1/files/${path}`);
      expect(answer.status).toBeGreaterThanOrEqual(404);
      expect(answer.text).not.toContain(SECRET);
    }
  });

  test('cannot inject headers by name or type', async () => {
    const stored = await upload('x.html', '<script>', { 'content-type': 'text/html; x="' });
    const back = await api.ask(`/api/v1/files/${stored.json().id}`);
    expect(back.headers).toMatchObject({ 'content-type': 'text/html', 'x-content-type-options': 'nosniff' });
    expect(back.headers['content-disposition']).toMatch(/^attachment; /);
  });
});

test('serves blobs by hash', async () => {
  const sha = createHash('sha256').update('a long text').digest('hex');
  mkdirSync(api.paths.blobs, { recursive: true });
  writeFileSync(join(api.paths.blobs, sha), 'a long text');
  const answer = await api.ask(`/api/v1/blobs/${sha}`);
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, 'a long text', 'text/plain']);
  for (const other of ['0'.repeat(64), sha.slice(1), '..%2Ftoken', `${sha}%00`]) {
    expect((await api.ask(`/api/v1/blobs/${other}`)).status).toBeGreaterThanOrEqual(404);
  }
});

describe('workspace', () => {
  const tree = (path?: string) =>
    api.ask(`/api/v1/sessions/one/tree${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`);
  const file = (path: string) => api.ask(`/api/v1/sessions/one/file?path=${encodeURIComponent(path)}`);

  beforeEach(async () => {
    await rm(api.workspace, { recursive: true, force: true });
    mkdirSync(join(api.workspace, 'src/deep'), { recursive: true });
    mkdirSync(join(api.workspace, '.git'));
    writeFileSync(join(api.workspace, '.git/config'), SECRET);
    writeFileSync(join(api.workspace, 'readme.md'), '# hello');
    writeFileSync(join(api.workspace, 'src/deep/main.ts'), 'main');
    symlinkSync('readme.md', join(api.workspace, 'inner-link'));
    symlinkSync(join(api.folder, 'secret.txt'), join(api.workspace, 'file-link'));
    symlinkSync(join(api.folder, 'outside'), join(api.workspace, 'folder-link'));
    symlinkSync('../..', join(api.workspace, 'src/up'));
    symlinkSync('.git', join(api.workspace, 'git-link'));
    symlinkSync('loop', join(api.workspace, 'loop'));
  });

  test('lists folders without following links', async () => {
    const { entries, truncated } = (await tree()).json();
    expect(truncated).toBe(false);
    expect((entries as { name: string; kind: string }[]).map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'folder src',
      'link file-link',
      'link folder-link',
      'link git-link',
      'link inner-link',
      'link loop',
      'file readme.md',
    ]);
    expect((await tree('src/deep')).json().entries).toEqual([
      { name: 'main.ts', path: 'src/deep/main.ts', kind: 'file', bytes: 4, modifiedAt: expect.any(Number) },
    ]);
  });

  test('serves its files, also through a link that stays inside', async () => {
    for (const path of ['readme.md', './readme.md', './/readme.md', 'inner-link']) {
      const answer = await file(path);
      expect([path, answer.status, answer.text]).toEqual([path, 200, '# hello']);
      expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="readme.md"/);
    }
  });

  test('serves nothing outside or inside .git', async () => {
    const out = [
      '../secret.txt',
      'src/../../secret.txt',
      '..',
      '../',
      '/etc/passwd',
      join(api.folder, 'secret.txt'),
      'file-link',
      'folder-link',
      'folder-link/notes.txt',
      'src/up/secret.txt',
      'src/up',
      '.git',
      '.git/config',
      '.GIT/config',
      'git-link',
      'git-link/config',
      'src/../.git/config',
      '..\\secret.txt',
      'C:\\windows',
      '.git/./config',
      'git~1/config',
      '.git. /config',
    ];
    for (const path of out) {
      for (const answer of [await file(path), await tree(path)]) {
        expect([path, answer.status]).toEqual([path, 403]);
        expect(answer.text).not.toContain(SECRET);
        expect(answer.text).not.toContain('notes.txt"');
      }
    }
  });

  test('reports missing paths and non-files', async () => {
    expect((await file('nothing')).status).toBe(404);
    expect((await file('readme.md/x')).status).toBe(404);
    expect((await file(`${'x'.repeat(300)}`)).status).toBe(404);
    expect((await file('src')).status).toBe(400);
    expect((await tree('readme.md')).status).toBe(400);
    expect((await file('loop')).status).toBe(403);
    expect((await file('a\0b')).status).toBe(422);
    expect((await file('')).status).toBe(422);
    expect((await api.ask('/api/v1/sessions/one/file')).status).toBe(422);
  });

  test('does not block on a named pipe', async () => {
    execFileSync('mkfifo', [join(api.workspace, 'pipe')]);
    expect((await file('pipe')).status).toBe(400);
  });

  test('reports a truncated folder', async () => {
    for (let at = 0; at < 25; at += 1) writeFileSync(join(api.workspace, 'src/deep', `f${at}`), '');
    const { entries, truncated } = (await tree('src/deep')).json();
    expect([(entries as unknown[]).length, truncated]).toEqual([20, true]);
  });

  test('never opens a link that replaces a folder meanwhile', async () => {
    // The folder is replaced by a link to the outside and back, as fast as possible, while it is read.
    const [folder, aside, link] = ['src', 'aside', 'link'].map((name) => join(api.workspace, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(join(folder, 'notes.txt'), 'ours');
    symlinkSync(join(api.folder, 'outside'), link);
    let isOver = false;
    const swapping = (async () => {
      while (!isOver) {
        renameSync(folder, aside);
        renameSync(link, folder);
        await new Promise(setImmediate);
        renameSync(folder, link);
        renameSync(aside, folder);
        await new Promise(setImmediate);
      }
    })();
    const seen = new Set<string>();
    for (let at = 0; at < 300; at += 1) {
      const opened = await openInWorkspace(api.workspace, 'src/notes.txt').catch(() => null);
      if (!opened) continue;
      seen.add(await opened.file.readFile('utf8'));
      await opened.file.close();
    }
    for (let at = 0; at < 300; at += 1) {
      const listed = await listTree(api.workspace, 'src/deep', 10).catch(() => null);
      for (const { name } of listed?.entries ?? []) seen.add(name);
    }
    isOver = true;
    await swapping;
    for (const outer of [SECRET, 'plans.txt']) expect([...seen]).not.toContain(outer);
  });

  test.skipIf(process.getuid?.() === 0)('reports unreadable files', async () => {
    chmodSync(join(api.workspace, 'readme.md'), 0);
    expect((await file('readme.md')).status).toBe(403);
  });

  test('serves a hard link inside', async () => {
    linkSync(join(api.workspace, 'readme.md'), join(api.workspace, 'second.md'));
    expect((await file('second.md')).text).toBe('# hello');
  });

  test('reports a missing workspace', async () => {
    await rm(api.workspace, { recursive: true });
    expect((await tree()).json()).toMatchObject({ status: 409, code: 'WORKSPACE_ERROR' });
    expect((await api.ask('/api/v1/sessions/one/diff')).json()).toMatchObject({ status: 409, code: 'WORKSPACE_ERROR' });
    mkdirSync(api.workspace);
  });
});

function fetchBytes(path: string): Promise<{ bytes: Buffer; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = openRequest(api.port, path, {});
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      resolve({ bytes: Buffer.concat(parts), headers: response.headers });
    });
    sent.end();
  });
}
