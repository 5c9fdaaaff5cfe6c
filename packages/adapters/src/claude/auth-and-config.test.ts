import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServer } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeAdapter } from './index.ts';

const adapter = claudeAdapter;
const { mcp } = adapter.configSchema;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'claude-home-'));
  mkdirSync(join(home, '.claude'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string, content: unknown) {
  writeFileSync(join(home, path), JSON.stringify(content));
}

function output(value: unknown) {
  return { stdout: JSON.stringify(value), stderr: '', exitCode: 0 };
}

describe('MCP servers in the files of Claude Code', () => {
  it.each<[McpServer, object]>([
    [
      { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } },
      { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: 'b' } },
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

  it('ignores types that only an editor can use', () => {
    expect(mcp?.decode({ type: 'ws-ide', url: 'ws://127.0.0.1:1' })).toBeNull();
  });
});

describe('login of Claude Code', () => {
  const token = { accessToken: 'a-secret', refreshToken: 'r-secret', expiresAt: 1 };

  it('is that of the account in the other file and lasts as long as it is renewed', async () => {
    put('.claude/.credentials.json', { claudeAiOauth: { ...token, refreshTokenExpiresAt: 4_102_444_800_000 } });
    put('.claude.json', { oauthAccount: { emailAddress: 'me@example.com' } });
    const state = await adapter.detectAuth({ HOME: home });
    expect(state).toMatchObject({ status: 'authenticated', method: 'oauth', identity: 'me@example.com' });
    expect(state.expiresAt).toBe(4_102_444_800_000);
    expect(JSON.stringify(state)).not.toContain('secret');
  });

  it('has expired when its refresh token has', async () => {
    put('.claude/.credentials.json', { claudeAiOauth: { ...token, refreshTokenExpiresAt: 5 } });
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'expired', expiresAt: 5 });
  });

  it.runIf(process.platform === 'linux')('is absent if only the account is left', async () => {
    put('.claude/.credentials.json', { claudeAiOauth: { accessToken: '', refreshToken: '', expiresAt: 0 } });
    put('.claude.json', { oauthAccount: { emailAddress: 'me@example.com' } });
    expect(await adapter.detectAuth({ HOME: home })).toEqual({ status: 'unauthenticated' });
  });

  it('may belong to another account with a token of the environment', async () => {
    put('.claude.json', { oauthAccount: { emailAddress: 'me@example.com' } });
    const state = await adapter.detectAuth({ HOME: home, CLAUDE_CODE_OAUTH_TOKEN: 'x' });
    expect(state).toMatchObject({ status: 'authenticated', method: 'oauth' });
    expect(state.identity).toBeUndefined();
  });
});

describe('models of Claude Code', () => {
  const modelQuery = adapter.modelQuery!;
  const choice = (value: string, resolvedModel: string, description: string) => ({ value, resolvedModel, description });

  it('lists each model of its initialize reply once', () => {
    const models = [
      choice('default', 'claude-opus-5-5', 'Use the default model (currently Opus 5.5) · $4/$20 per Mtok'),
      choice('opus', 'claude-opus-5-5', 'Opus 5.5 · Best for everyday, complex tasks · $4/$20 per Mtok'),
      choice('haiku', 'claude-haiku-5-5', 'Haiku 5.5 · Fastest for quick answers'),
    ];
    const reply = { type: 'control_response', response: { request_id: 'models', response: { models } } };
    expect(modelQuery.parse(output(reply))).toMatchObject([
      {
        id: 'claude-opus-5-5',
        displayName: 'Opus 5.5',
        aliases: ['default', 'opus'],
        pricing: { input: 4, output: 20 },
      },
      { id: 'claude-haiku-5-5', displayName: 'Haiku 5.5', aliases: ['haiku'] },
    ]);
  });

  it('guesses no models from an unknown reply', () => {
    expect(() => modelQuery.parse({ stdout: 'Error: no', stderr: '', exitCode: 1 })).toThrow('no reply');
  });
});

describe('plugins of Claude Code', () => {
  const plugins = adapter.plugins!;

  it('installs from a marketplace, for the user or the project', () => {
    expect(plugins.install('plug', { registry: './market' }).args).toEqual(
      'plugin install --scope user --marketplace ./market plug'.split(' '),
    );
    expect(plugins.uninstall('plug@market', { global: false }).args).toEqual(
      'plugin uninstall --scope project plug@market'.split(' '),
    );
    expect(() => plugins.install('plug', { version: '1' })).toThrow('one version');
  });

  it('parses lists and search results of 2.1.325', () => {
    const entry = { id: 'plug@market', version: '1.2.3', scope: 'user', enabled: true, projectEnabled: false };
    expect(plugins.list.parse(output([entry]))).toEqual([
      { id: 'plug@market', version: '1.2.3', enabled: true, format: 'marketplace-plugin', source: 'user' },
    ]);
    const offer = { pluginId: 'plug@market', name: 'plug', description: 'A Plug', marketplaceName: 'market' };
    const found = (query: string) => plugins.search?.(query, {}).parse(output({ installed: [], available: [offer] }));
    expect(found('a plug')).toMatchObject([{ id: 'plug@market', registry: 'market' }]);
    expect(found('socket')).toEqual([]);
  });
});
