import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedApi, serveApi } from '../../../test/served-api.ts';
import { DOCS_SCRIPT } from './docs-script.ts';
import { PAGES } from './pages.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.stop());

test('describes the daemon on the home page and links the docs', async () => {
  const { status, text, headers } = await api.ask('/', { token: null });
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toContain('href="/docs"');
});

test('serves pages without external resources or inline code', async () => {
  for (const [path, { text, mimeType }] of PAGES) {
    const served = await api.ask(path, { token: null });
    expect([path, served.status, served.headers['content-type']]).toEqual([path, 200, `${mimeType}; charset=utf-8`]);
    expect(served.headers['content-security-policy']).toContain(
      "script-src 'self'; style-src 'self'; connect-src 'self'",
    );
    expect(text).not.toMatch(/https?:\/\/|@import|\bstyle="|\son\w+="|<script(?![^>]*\bsrc=)|<style/);
    if (mimeType !== 'text/html') continue;
    for (const [, link] of text.matchAll(/(?:src|href)="(\/[^"]*)"/g)) {
      expect([link, (await api.ask(link!, { token: null })).status]).toEqual([link, 200]);
    }
  }
});

test('serves a valid script that creates no HTML from text', () => {
  expect(() => new Function(`return (async () => {${DOCS_SCRIPT}})`)).not.toThrow();
  expect(DOCS_SCRIPT).not.toMatch(
    /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|localStorage|sessionStorage/,
  );
});
