import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServer } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { geminiAdapter } from './index.ts';

const adapter = geminiAdapter;
const plugins = adapter.plugins!;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gemini-home-'));
  mkdirSync(join(home, '.gemini'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(name: string, content: unknown) {
  writeFileSync(join(home, '.gemini', name), JSON.stringify(content));
}

describe('MCP servers in the settings of Gemini CLI', () => {
  const { mcp } = adapter.configSchema;

  it.each<[McpServer, object]>([
    [
      { command: 'npx', args: ['x'], env: { A: 'b' } },
      { command: 'npx', args: ['x'], env: { A: 'b' } },
    ],
    [
      { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { A: 'b' } },
      { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { A: 'b' } },
    ],
    [
      { type: 'sse', url: 'http://127.0.0.1:1/sse' },
      { type: 'sse', url: 'http://127.0.0.1:1/sse' },
    ],
  ])('writes and reads an entry as its own command does: %j', (server, entry) => {
    expect(mcp?.encode(server, 'one')).toEqual(entry);
    expect(mcp?.decode({ ...entry })).toEqual(server);
  });

  it('reads the earlier format too', () => {
    expect(mcp?.decode({ httpUrl: 'http://127.0.0.1:1/mcp' })).toEqual({ type: 'http', url: 'http://127.0.0.1:1/mcp' });
    expect(mcp?.decode({ url: 'http://127.0.0.1:1/sse' })).toEqual({ type: 'sse', url: 'http://127.0.0.1:1/sse' });
    expect(mcp?.decode({ trust: true })).toBeNull();
  });
});

describe('login of Gemini CLI', () => {
  it('is that of the active account and does not expire as long as it is renewed', async () => {
    put('oauth_creds.json', { access_token: 'a-secret', refresh_token: 'r-secret', expiry_date: 1 });
    put('google_accounts.json', { active: 'me@example.com', old: [] });
    const state = await adapter.detectAuth({ HOME: home });
    expect(state).toMatchObject({ status: 'authenticated', method: 'oauth', identity: 'me@example.com' });
    expect(JSON.stringify(state)).not.toContain('secret');
  });

  it('may be a key in the .env file that the CLI loads', async () => {
    writeFileSync(join(home, '.gemini', '.env'), 'GEMINI_API_KEY=k-secret\n');
    const state = await adapter.detectAuth({ HOME: home });
    expect(state).toEqual({ status: 'authenticated', method: 'api_key', details: '~/.gemini/.env is present' });
  });

  it('has expired if it cannot be renewed', async () => {
    put('oauth_creds.json', { access_token: 'x', expiry_date: 5 });
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'expired', expiresAt: 5 });
  });

  it('is absent if only the account is left', async () => {
    put('google_accounts.json', { active: 'me@example.com' });
    expect(await adapter.detectAuth({ HOME: home })).toEqual({ status: 'unauthenticated' });
  });
});

describe('extensions of Gemini CLI', () => {
  it('installs with the consent of the caller', () => {
    // In an untrusted folder the CLI waits forever for an answer.
    expect(plugins.install('./ext', {}).stdin).toBe('n\n');
    expect(plugins.install('./ext', {}).args).toEqual('extensions install --consent --skip-settings ./ext'.split(' '));
    expect(plugins.install('https://127.0.0.1/x', { version: 'v2' }).args).toContain('--ref=v2');
    expect(plugins.uninstall('my-ext', {}).args).toEqual(['extensions', 'uninstall', 'my-ext']);
    expect(() => plugins.install('x', { global: false })).toThrow('for all projects');
    expect(() => plugins.install('x', { registry: 'y' })).toThrow('repositories and folders');
  });

  it('parses the list of 0.61.0, on stderr and after warnings', () => {
    const entry = { name: 'my-ext', version: '1.2.3', isActive: true, installMetadata: { source: '/workspace/ext' } };
    const parse = (stderr: string) => plugins.list.parse({ stdout: '', stderr, exitCode: 0 });
    expect(parse(`Warning: [x] no colors\n${JSON.stringify([entry], null, 2)}\n`)).toEqual([
      { id: 'my-ext', version: '1.2.3', enabled: true, format: 'extension', source: '/workspace/ext' },
    ]);
    expect(parse('Warning: no colors\n[]\n')).toEqual([]);
    expect(() => parse('Error: broken')).toThrow('no list');
  });
});
