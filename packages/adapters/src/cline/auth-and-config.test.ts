import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clineAdapter } from './index.ts';

const adapter = clineAdapter;
const { mcp } = adapter.configSchema;
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'cline-data-'));
  mkdirSync(join(data, 'settings'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

describe('login of Cline', () => {
  it('is a configured provider, not just the providers file', async () => {
    const file = join(data, 'settings', 'providers.json');
    const env = { HOME: data, CLINE_DATA_DIR: data };
    writeFileSync(file, '{"version":1,"providers":{}}');
    expect(await adapter.detectAuth(env)).toEqual({ status: 'unauthenticated' });
    writeFileSync(file, '{"version":1,"providers":{"openai":{"settings":{"apiKey":"x"}}}}');
    expect(await adapter.detectAuth(env)).toMatchObject({ status: 'authenticated', method: 'config_file' });
  });
});

describe('MCP servers of Cline', () => {
  it.each([
    [
      { command: 'node', args: ['x.js'], env: { A: 'b' } },
      { type: 'stdio', command: 'node', args: ['x.js'], env: { A: 'b' } },
    ],
    [
      { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { X: 'y' } } as const,
      { type: 'streamableHttp', url: 'http://127.0.0.1:9/mcp', headers: { X: 'y' } },
    ],
    [{ type: 'sse', url: 'http://127.0.0.1:9/sse' } as const, { type: 'sse', url: 'http://127.0.0.1:9/sse' }],
  ])('writes and reads them as Cline does', (server, transport) => {
    expect(mcp?.encode(server, 'one')).toEqual({ transport });
    expect(mcp?.decode({ transport })).toEqual(server);
  });

  it('reads the format of editors too', () => {
    expect(mcp?.decode({ command: 'node', args: [], disabled: true })).toEqual({ command: 'node', args: [] });
    expect(mcp?.decode({ disabled: true })).toBeNull();
  });
});
