import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@agent-mux/core';
import { afterEach, describe, expect, it } from 'vitest';
import { builtInAdapters } from '../catalog.ts';

const TIMEOUT_MS = 60_000;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A searchable registry; npm is pointed at it as a user would do it. */
async function npmOf(names: readonly string[]) {
  const asked: { text: string; size: number; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry');
    if (pathname !== '/-/v1/search') return response.writeHead(404).end('{}');
    asked.push({
      text: searchParams.get('text') ?? '',
      size: Number(searchParams.get('size')),
      key: request.headers.authorization,
    });
    const objects = names.map((name) => ({
      package: { name, version: '1.2.3', description: `About ${name}`, maintainers: [], date: '2026-01-01T00:00:00Z' },
    }));
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ objects, total: 2 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = mkdtempSync(join(tmpdir(), 'npm-home-'));
  const { port } = server.address() as AddressInfo;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: join(home, 'cache'),
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
  };
  const client = createClient({ adapters: builtInAdapters(), env, runIndex: false });
  closers.push(
    () => client.close(),
    () => new Promise((resolve) => server.close(resolve)),
    () => rmSync(home, { recursive: true, force: true }),
  );
  return { client, asked, stop: () => new Promise((resolve) => server.close(resolve)) };
}

describe('plugins that are npm packages', () => {
  it.each([
    ['pi', 'keywords:pi-package git hub'],
    ['omp', 'oh-my-pi git hub'],
    ['opencode', 'opencode git hub'],
    ['kilo', 'kilo git hub'],
    ['qwen', 'qwen-code extension git hub'],
  ])('are searched with the npm of the user: %s', { timeout: TIMEOUT_MS }, async (agent, text) => {
    const { client, asked } = await npmOf(['one', 'two']);
    expect(await client.plugins.search(agent, 'git hub', { limit: 1 })).toEqual([
      { id: 'one', version: '1.2.3', description: 'About one', registry: 'npm' },
    ]);
    expect(asked).toMatchObject([{ text, size: 1 }]);
    expect(client.plugins.supported().find((one) => one.agent === agent)).toMatchObject({ canSearch: true });
  });

  it('report a failure of npm and refuse another registry', { timeout: TIMEOUT_MS }, async () => {
    const { client, stop } = await npmOf([]);
    await expect(client.plugins.search('pi', 'git', { registry: 'other' })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
    });
    expect(await client.plugins.search('pi', 'git')).toEqual([]);
    await stop();
    await expect(client.plugins.search('pi', 'something else')).rejects.toMatchObject({ code: 'AGENT_ERROR' });
  });
});
