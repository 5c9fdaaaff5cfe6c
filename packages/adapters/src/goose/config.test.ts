import { describe, expect, it } from 'vitest';
import { CONFIG_SCHEMA } from './config.ts';

const { mcp } = CONFIG_SCHEMA;

describe('MCP servers in the configuration of goose', () => {
  it('writes them as extensions', () => {
    expect(mcp?.encode({ command: 'node', args: ['x.mjs'], env: { A: 'b' } }, 'files')).toEqual({
      enabled: true,
      name: 'files',
      type: 'stdio',
      cmd: 'node',
      args: ['x.mjs'],
      envs: { A: 'b' },
    });
    expect(mcp?.encode({ type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } }, 'web')).toEqual({
      enabled: true,
      name: 'web',
      type: 'streamable_http',
      uri: 'http://127.0.0.1:1/mcp',
      headers: { X: 'y' },
    });
  });

  it('reads them back unchanged', () => {
    for (const server of [
      { command: 'node', args: ['x.mjs'], env: { A: 'b' } },
      { command: 'node', args: [] },
      { type: 'http' as const, url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } },
    ]) {
      expect(mcp?.decode(mcp.encode(server, 'one'))).toEqual(server);
    }
  });

  it('ignores built-in extensions', () => {
    expect(mcp?.decode({ enabled: true, type: 'platform', name: 'developer' })).toBeNull();
    expect(mcp?.decode({ enabled: true, type: 'builtin', name: 'memory' })).toBeNull();
  });

  it('rejects SSE, which 1.34 no longer supports', () => {
    expect(() => mcp?.encode({ type: 'sse', url: 'http://127.0.0.1:1/sse' }, 'old')).toThrow('not over SSE');
  });
});
