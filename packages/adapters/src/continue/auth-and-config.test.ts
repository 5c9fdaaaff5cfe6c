import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { continueAdapter } from './index.ts';

const adapter = continueAdapter;
const { mcp } = adapter.configSchema;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'continue-home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('login of Continue', () => {
  it('is a configured model', async () => {
    const env = { HOME: home, CONTINUE_GLOBAL_DIR: home };
    writeFileSync(join(home, 'config.yaml'), 'name: mine\nmodels: []\n');
    expect(await adapter.detectAuth(env)).toEqual({ status: 'unauthenticated' });
    writeFileSync(join(home, 'config.yaml'), 'name: mine\nmodels:\n  - name: one\n    apiKey: x\n');
    expect(await adapter.detectAuth(env)).toMatchObject({ status: 'authenticated', method: 'config_file' });
  });
});

describe('MCP servers of Continue', () => {
  it.each([
    [
      { command: 'node', args: ['x.js'], env: { A: 'b' } },
      { command: 'node', args: ['x.js'], env: { A: 'b' } },
    ],
    [
      { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { X: 'y' } } as const,
      { type: 'streamable-http', url: 'http://127.0.0.1:9/mcp', requestOptions: { headers: { X: 'y' } } },
    ],
    [{ type: 'sse', url: 'http://127.0.0.1:9/sse' } as const, { type: 'sse', url: 'http://127.0.0.1:9/sse' }],
  ])('writes and reads them in its own format', (server, entry) => {
    expect(mcp?.encode(server, 'one')).toEqual(entry);
    expect(mcp?.decode({ name: 'one', ...entry })).toEqual(server);
  });
});
