import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codexAdapter } from './index.ts';
import { MODEL_QUERY } from './models.ts';
import { PLUGINS } from './plugins.ts';

const adapter = codexAdapter;
const { mcp } = adapter.configSchema;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'codex-home-'));
  mkdirSync(join(home, '.codex'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function login(content: object): void {
  writeFileSync(join(home, '.codex', 'auth.json'), JSON.stringify(content));
}

function printed(value: unknown) {
  return { stdout: JSON.stringify(value, null, 2), stderr: '', exitCode: 0 };
}

describe('login of Codex', () => {
  it('is that of an account, with its email address', async () => {
    const claims = Buffer.from('{"email":"someone@example.com"}').toString('base64url');
    login({ auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens: { id_token: `e30.${claims}.x`, access_token: 'a' } });
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({
      status: 'authenticated',
      method: 'browser_login',
      identity: 'someone@example.com',
    });
  });

  it('is a key in its own file, not one in a variable that it does not read', async () => {
    expect(await adapter.detectAuth({ HOME: home, OPENAI_API_KEY: 'sk-x' })).toEqual({ status: 'unauthenticated' });
    login({ auth_mode: 'apikey', OPENAI_API_KEY: 'sk-x' });
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'authenticated', method: 'api_key' });
  });

  it('is that of another provider if one is selected', async () => {
    writeFileSync(join(home, '.codex', 'config.toml'), 'model_provider = "local"\n');
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'authenticated', method: 'config_file' });
  });
});

describe('MCP servers of Codex', () => {
  it.each([
    [
      { command: 'node', args: ['x.js'], env: { A: 'b' } },
      { command: 'node', args: ['x.js'], env: { A: 'b' } },
    ],
    [
      { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { X: 'y' } } as const,
      { url: 'http://127.0.0.1:9/mcp', http_headers: { X: 'y' } },
    ],
  ])('writes and reads them in its own format', (server, entry) => {
    expect(mcp?.encode(server, 'one')).toEqual(entry);
    expect(mcp?.decode(entry)).toEqual(server);
  });

  it('rejects transports that it does not support', () => {
    expect(() => mcp?.encode({ type: 'sse', url: 'http://127.0.0.1:9/sse' }, 'one')).toThrow('SSE');
    expect(mcp?.decode({ enabled: true })).toBeNull();
  });
});

describe('models of Codex', () => {
  it('lists the visible models of its catalog', () => {
    const level = [{ effort: 'low' }];
    const shown = { slug: 'gpt-6-sol', display_name: 'GPT-6-Sol', visibility: 'list', context_window: 272000 };
    const models = [
      { ...shown, supported_reasoning_levels: level, input_modalities: ['text', 'image'] },
      { ...shown, slug: 'hidden', visibility: 'hide' },
    ];
    expect(MODEL_QUERY.parse(printed({ models }))).toEqual([
      {
        id: 'gpt-6-sol',
        displayName: 'GPT-6-Sol',
        contextWindow: 272000,
        maxOutputTokens: null,
        supportsThinking: true,
        supportsImageInput: true,
      },
    ]);
    expect(() => MODEL_QUERY.parse({ stdout: 'error: no', stderr: '', exitCode: 1 })).toThrow();
  });
});

describe('plugins of Codex', () => {
  const plugin = {
    pluginId: 'sample@local-mk',
    name: 'sample',
    marketplaceName: 'local-mk',
    version: '1.2.3',
    enabled: true,
    source: { source: 'local', path: '/workspace/mk/plugins/sample' },
  };

  it('parses its list', () => {
    expect(PLUGINS.list.parse(printed({ installed: [plugin], available: [] }))).toEqual([
      {
        id: 'sample@local-mk',
        version: '1.2.3',
        enabled: true,
        format: 'marketplace-plugin',
        source: '/workspace/mk/plugins/sample',
      },
    ]);
    expect(() => PLUGINS.list.parse({ stdout: '', stderr: 'no', exitCode: 1 })).toThrow();
  });

  it('searches the marketplaces', () => {
    const answer = printed({ installed: [], available: [plugin, { ...plugin, pluginId: 'other@local-mk' }] });
    expect(PLUGINS.search?.('SAMP', { limit: 5 }).parse(answer)).toEqual([
      { id: 'sample@local-mk', version: '1.2.3', registry: 'local-mk' },
    ]);
    expect(PLUGINS.search?.('', { limit: 1, page: 2 }).parse(answer)).toMatchObject([{ id: 'other@local-mk' }]);
  });

  it('rejects versions and the project scope', () => {
    expect(() => PLUGINS.install('a@b', { version: '1' })).toThrow('version');
    expect(() => PLUGINS.install('a@b', { global: false })).toThrow('user');
    expect(PLUGINS.install('a', { registry: 'b' }).args).toEqual(['plugin', 'add', '--marketplace', 'b', '--', 'a']);
  });
});
