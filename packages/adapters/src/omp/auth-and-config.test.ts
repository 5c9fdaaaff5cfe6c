import { CapabilityError, type McpServer } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { ompAdapter } from './index.ts';

const adapter = ompAdapter;
const said = (value: unknown) => ({ stdout: JSON.stringify(value, null, 2), stderr: '', exitCode: 0 });

describe('auth and config of omp', () => {
  it('parses its list of models', () => {
    const listed = {
      provider: 'lab',
      id: 'scripted',
      selector: 'lab/scripted',
      name: 'Scripted',
      contextWindow: 200_000,
      maxTokens: 40_000,
      reasoning: true,
      input: ['text'],
      cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    };
    expect(adapter.modelQuery!.parse(said({ models: [listed] }))).toEqual([
      {
        id: 'lab/scripted',
        displayName: 'Scripted',
        contextWindow: 200_000,
        maxOutputTokens: 40_000,
        supportsThinking: true,
        supportsImageInput: false,
        pricing: { input: 3, output: 15, cacheRead: 0.3, cacheCreation: 3.75 },
      },
    ]);
    expect(() => adapter.modelQuery!.parse(said({ error: 'x' }))).toThrow('could not be listed');
  });

  it('parses its list of plugins', () => {
    const path = '/home/me/.omp/plugins/node_modules/my-pkg';
    const npm = [{ name: 'my-pkg', version: '1.2.3', path, enabledFeatures: null, enabled: true }];
    expect(adapter.plugins!.list.parse(said({ npm, marketplace: [] }))).toEqual([
      { id: 'my-pkg', version: '1.2.3', enabled: true, format: 'npm-package', source: path },
    ]);
    expect(adapter.plugins!.install('my-pkg', { version: '1.2.3' }).args).toEqual([
      'plugin',
      'install',
      'my-pkg@1.2.3',
    ]);
    expect(adapter.plugins!.uninstall('my-pkg', {}).args).toEqual(['plugin', 'uninstall', 'my-pkg']);
    expect(() => adapter.plugins!.install('my-pkg', { global: false })).toThrow(CapabilityError);
  });

  it.each<McpServer>([
    { command: 'npx', args: ['-y', 'a server'], env: { KEY: 'x' } },
    { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer x' } },
    { type: 'sse', url: 'http://127.0.0.1:9/sse' },
  ])('writes and reads MCP servers: %j', (server) => {
    const { mcp } = adapter.configSchema;
    expect(mcp?.decode(mcp.encode(server, 'one'))).toEqual(server);
  });
});
