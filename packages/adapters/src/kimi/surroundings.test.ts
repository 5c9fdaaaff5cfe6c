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
  ])('are written in its own form, and read back: %j', (server, entry) => {
    expect(mcp?.encode(server, 'one')).toEqual(entry);
    expect(mcp?.decode({ ...entry, enabled: true })).toEqual(server);
  });
});

describe('the models of Kimi Code', () => {
  it('are those of its configuration, without the keys beside them', () => {
    const answer = {
      providers: { proof: { type: 'openai', apiKey: 'secret' } },
      models: {
        mine: { provider: 'proof', model: 'm', maxContextSize: 1000, capabilities: ['thinking', 'image_in'] },
        small: { provider: 'proof', model: 's', maxContextSize: 100 },
      },
    };
    const models = adapter.modelQuery!.parse({ stdout: JSON.stringify(answer), stderr: '', exitCode: 0 });
    expect(models).toEqual([
      { id: 'mine', contextWindow: 1000, maxOutputTokens: null, supportsThinking: true, supportsImageInput: true },
      { id: 'small', contextWindow: 100, maxOutputTokens: null, supportsThinking: false, supportsImageInput: false },
    ]);
  });
});

describe('the login of Kimi Code', () => {
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

  it('is a token of a login, though the last one has ended: it is renewed', async () => {
    put('credentials/kimi-code.json', JSON.stringify({ access_token: 'fake', refresh_token: 'fake', expires_at: 1 }));
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'authenticated', method: 'oauth' });
  });

  it("is a provider of one's own, but not a configuration without one", async () => {
    put('config.toml', 'telemetry = false\n');
    expect((await adapter.detectAuth({ HOME: home })).status).toBe('unauthenticated');
    put('config.toml', '[providers.mine]\ntype = "openai"\napi_key = "fake"\n');
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'authenticated', method: 'config_file' });
  });
});
