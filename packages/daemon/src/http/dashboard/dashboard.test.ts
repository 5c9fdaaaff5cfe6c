import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedApi, serveApi } from '../../../test/served-api.ts';
import { findDashboard } from './dashboard.ts';

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))});`;
const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
let api: ServedApi;

beforeAll(async () => {
  mkdirSync(join(folder, 'dist/assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'not for browsers');
  writeFileSync(join(folder, 'dist/index.html'), '<!doctype html><title>agent-mux</title>');
  writeFileSync(join(folder, 'dist/assets/index-abc.js'), SCRIPT);
  api = await serveApi({}, { dashboard: findDashboard(join(folder, 'dist')) });
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

const visit = (path: string, headers = {}) =>
  api.ask(path, { token: null, headers: { accept: 'text/html,*/*', ...headers } });

test('serves the app for navigations to any non-API path', async () => {
  for (const path of ['/', '/sessions/abc', '/history', '/?link=used']) {
    const { status, text, headers } = await visit(path);
    expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
    expect([text.includes('<title>'), headers['cache-control']]).toEqual([true, 'no-cache']);
  }
  expect((await visit('/docs')).text).toContain('agent-mux API');
});

test('returns 404 to programs and for unknown API paths', async () => {
  expect((await api.ask('/sessions/abc', { token: null })).status).toBe(404);
  for (const path of ['/api/v1/nothing', '/assets/nothing.js', '/metrics/x'])
    expect([path, (await visit(path)).status]).toEqual([path, 404]);
  expect((await api.ask('/history', { method: 'POST', body: {}, headers: { accept: 'text/html' } })).status).toBe(404);
});

test('forbids external resources and scripts from text', async () => {
  const { headers } = await visit('/');
  const policy = String(headers['content-security-policy']);
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "require-trusted-types-for 'script'",
  ])
    expect(policy).toContain(rule);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
});

test('serves assets as immutable, compressed if accepted, with ETags', async () => {
  const { status, text, headers } = await visit('/assets/index-abc.js');
  expect([status, text, headers['content-encoding']]).toEqual([200, SCRIPT, undefined]);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const response = await fetch(`${api.url}/assets/index-abc.js`, { headers: { 'accept-encoding': 'gzip' } });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(await response.text()).toBe(SCRIPT);
  const again = await visit('/assets/index-abc.js', { 'if-none-match': headers.etag });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('serves nothing outside the folder', async () => {
  for (const path of [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%2e%2e/secret.txt',
  ]) {
    expect((await visit(path)).text).not.toContain('not for browsers');
  }
});

test('serves a rebuilt app without a restart', async () => {
  writeFileSync(join(folder, 'dist/assets/index-def.js'), 'new');
  expect((await visit('/assets/index-def.js')).text).toBe('new');
});

test('allows cross-site navigation but no cross-site loads', async () => {
  const site = { 'sec-fetch-site': 'cross-site' };
  expect((await visit('/sessions/abc', { ...site, 'sec-fetch-mode': 'navigate' })).status).toBe(200);
  expect((await visit('/assets/index-abc.js', { ...site, 'sec-fetch-mode': 'no-cors' })).status).toBe(403);
});

test('shows how to build the app if it is missing', async () => {
  expect(findDashboard(join(folder, 'nowhere'))).toBeUndefined();
  const bare = await serveApi();
  expect((await bare.ask('/', { token: null })).text).toContain('npm run build');
  await bare.stop();
});

test('redirects other loopback names to 127.0.0.1', async () => {
  const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', host: `localhost:${api.port}` };
  const answer = await api.ask('/sessions/one?view=changes', { token: null, headers });
  expect([answer.status, answer.headers.location]).toEqual([
    307,
    `http://127.0.0.1:${api.port}/sessions/one?view=changes`,
  ]);
});
