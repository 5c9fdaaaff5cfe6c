import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grokAdapter } from './index.ts';

const adapter = grokAdapter;
const printed = (stdout: string) => ({ stdout, stderr: '', exitCode: 0 });

describe('MCP servers in the configuration of Grok Build', () => {
  const { mcp } = adapter.configSchema;

  it.each([
    [
      { command: 'node', args: ['x.mjs'], env: { A: 'b' } },
      { command: 'node', args: ['x.mjs'], env: { A: 'b' } },
    ],
    [
      { type: 'http' as const, url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } },
      { url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } },
    ],
    [
      { type: 'sse' as const, url: 'http://127.0.0.1:1/sse' },
      { url: 'http://127.0.0.1:1/sse', type: 'sse' },
    ],
  ])('writes and reads an entry as its own command does: %j', (server, entry) => {
    expect(mcp?.encode(server, 'one')).toEqual(entry);
    expect(mcp?.decode({ ...entry, enabled: true })).toEqual(server);
  });
});

describe('plugins of Grok Build', () => {
  const plugins = adapter.plugins!;

  it('parses its list', () => {
    const list = [
      { status: 'installed', name: 'plug', version: '1.2.0', source: '/workspace/plug', marketplace: null },
    ];
    expect(plugins.list.parse(printed(JSON.stringify(list)))).toEqual([
      { id: 'plug', version: '1.2.0', enabled: true, format: 'marketplace-plugin', source: '/workspace/plug' },
    ]);
    expect(() => plugins.list.parse(printed('{}'))).toThrow('not a list');
  });

  it('installs at once and in a version, for the user only', () => {
    expect(plugins.install('me/plug', { version: 'v1.0' }).args).toEqual([
      'plugin',
      'install',
      '--trust',
      'me/plug@v1.0',
    ]);
    expect(() => plugins.install('me/plug', { global: false })).toThrow('for the user only');
  });
});

describe('models of Grok Build', () => {
  it('lists the reported models with their known details', () => {
    const list =
      'You are not authenticated.\n\nDefault model: mine\n\nAvailable models:\n  * mine (default)\n  - grok-4.5\n';
    expect(adapter.modelQuery!.parse(printed(list))).toEqual([
      expect.objectContaining({ id: 'mine', contextWindow: null }),
      expect.objectContaining({ id: 'grok-4.5', displayName: 'Grok 4.5', contextWindow: 500_000 }),
    ]);
    expect(() => adapter.modelQuery!.parse(printed('error'))).toThrow('no list of models');
  });
});

describe('login of Grok Build', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'grok-home-'));
    mkdirSync(join(home, '.grok'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  async function loginWith(login: Record<string, unknown>) {
    const content = { 'https://accounts.x.ai/sign-in': { key: 'fake', auth_mode: 'oidc', user_id: 'u', ...login } };
    writeFileSync(join(home, '.grok', 'auth.json'), JSON.stringify(content));
    return adapter.detectAuth({ HOME: home });
  }

  it('reports its account without its secret', async () => {
    const state = await loginWith({ email: 'me@example.com' });
    expect(state).toMatchObject({ status: 'authenticated', method: 'oauth', identity: 'me@example.com' });
    expect(JSON.stringify(state)).not.toContain('fake');
  });

  it('has expired if it cannot be renewed', async () => {
    const expires_at = '2026-01-16T00:00:00Z';
    expect((await loginWith({ expires_at })).status).toBe('expired');
    expect((await loginWith({ expires_at, refresh_token: 'fake' })).status).toBe('authenticated');
  });
});
