import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kimiAdapter } from './index.ts';

const adapter = kimiAdapter;

describe('MCP servers in the configuration of Kimi Code', () => {
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
      { transport: 'sse', url: 'http://127.0.0.1:1/sse' },
    ],
  ])('writes and reads its own format: %j', (server, entry) => {
    expect(mcp?.encode(server, 'one')).toEqual(entry);
    expect(mcp?.decode({ ...entry, enabled: true })).toEqual(server);
  });
});

describe('models of Kimi Code', () => {
  it('lists the models from its configuration without the API keys', () => {
    const answer = {
      providers: { mine: { type: 'openai', apiKey: 'secret' } },
      models: {
        mine: { provider: 'mine', model: 'm', maxContextSize: 1000, capabilities: ['thinking', 'image_in'] },
        small: { provider: 'mine', model: 's', maxContextSize: 100 },
      },
    };
    const models = adapter.modelQuery!.parse({ stdout: JSON.stringify(answer), stderr: '', exitCode: 0 });
    expect(models).toEqual([
      { id: 'mine', contextWindow: 1000, maxOutputTokens: null, supportsThinking: true, supportsImageInput: true },
      { id: 'small', contextWindow: 100, maxOutputTokens: null, supportsThinking: false, supportsImageInput: false },
    ]);
  });
});

describe('login of Kimi Code', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'kimi-home-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function put(name: string, content: string): void {
    const path = join(home, '.kimi-code', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  it('is a login token, even if it has expired: it is renewed', async () => {
    put('credentials/kimi-code.json', JSON.stringify({ access_token: 'fake', refresh_token: 'fake', expires_at: 1 }));
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'authenticated', method: 'oauth' });
  });

  it('is a custom provider, but not a configuration without one', async () => {
    put('config.toml', 'telemetry = false\n');
    expect((await adapter.detectAuth({ HOME: home })).status).toBe('unauthenticated');
    put('config.toml', '[providers.mine]\ntype = "openai"\napi_key = "fake"\n');
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'authenticated', method: 'config_file' });
  });
});
