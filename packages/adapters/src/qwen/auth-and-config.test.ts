import type { McpServer } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { qwenAdapter } from './index.ts';

const { configSchema } = qwenAdapter;
const modelQuery = qwenAdapter.modelQuery!;
const plugins = qwenAdapter.plugins!;

describe('MCP servers in the settings of Qwen Code', () => {
  it.each<[McpServer, object]>([
    [
      { command: 'npx', args: ['x'], env: { A: 'b' } },
      { command: 'npx', args: ['x'], env: { A: 'b' } },
    ],
    [
      { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { A: 'b' } },
      { httpUrl: 'http://127.0.0.1:1/mcp', headers: { A: 'b' } },
    ],
    [{ type: 'sse', url: 'http://127.0.0.1:1/sse' }, { url: 'http://127.0.0.1:1/sse' }],
  ])('writes and reads an entry as its own command does: %j', (server, entry) => {
    expect(configSchema.mcp?.encode(server, 'one')).toEqual(entry);
    expect(configSchema.mcp?.decode({ ...entry })).toEqual(server);
  });
});

describe('models of Qwen Code', () => {
  it('lists those of the providers in its settings', () => {
    const models = [{ id: 'big', label: 'Big', capabilities: { vision: true }, contextWindowSize: 131_072 }];
    const reply = { type: 'control_response', response: { request_id: 'get_available_models', response: { models } } };
    const stdout = `{"type":"control_response","response":{"request_id":"initialize"}}\n${JSON.stringify(reply)}\n`;
    expect(modelQuery.parse({ stdout, stderr: '', exitCode: 0 })).toMatchObject([
      { id: 'big', displayName: 'Big', contextWindow: 131_072, supportsImageInput: true },
    ]);
    expect(() => modelQuery.parse({ stdout: '', stderr: 'no', exitCode: 1 })).toThrow('no reply');
  });
});

describe('extensions of Qwen Code', () => {
  it('installs for the user or the project, from folders, repositories and npm', () => {
    expect(plugins.install('./ext', {}).args).toEqual('extensions install --consent ./ext'.split(' '));
    expect(plugins.install('@a/b', { global: false, registry: 'http://127.0.0.1:1', version: '2' }).args).toEqual([
      ...['extensions', 'install', '--consent', '--scope=project', '--ref=2', '--registry=http://127.0.0.1:1', '@a/b'],
    ]);
  });

  it('parses the list of 0.24.4', () => {
    const parse = (stdout: string) => plugins.list.parse({ stdout, stderr: '', exitCode: 0 });
    const below = ' Path: /home/me/.qwen/extensions/my-ext\n Source: /workspace/ext (Type: local)\n Origin: QwenCode\n';
    expect(parse(`✓ my-ext (1.2.3)\n${below}\n✗ other (0.1.0)\n${below}`)).toEqual([
      { id: 'my-ext', version: '1.2.3', enabled: true, format: 'extension', source: '/workspace/ext' },
      { id: 'other', version: '0.1.0', enabled: false, format: 'extension', source: '/workspace/ext' },
    ]);
    expect(parse('No extensions installed.\n')).toEqual([]);
    expect(() => parse('Error')).toThrow('no list');
  });
});
