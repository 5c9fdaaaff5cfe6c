import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CapabilityError, createClient, type McpServer } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kiloAdapter } from '../kilo/index.ts';
import { openCodeAdapter } from './index.ts';

const adapter = openCodeAdapter;
const said = (stdout: string, exitCode = 0) => ({ stdout, stderr: '', exitCode });

describe('models of OpenCode', () => {
  const listed = readFileSync(new URL('./recordings/models.txt', import.meta.url), 'utf8');

  it('lists them with their limits and prices', () => {
    expect(adapter.modelQuery!.parse(said(listed))).toEqual([
      {
        id: 'opencode/big-pickle',
        displayName: 'Big Pickle',
        contextWindow: 200_000,
        maxOutputTokens: 32_000,
        supportsThinking: true,
        supportsImageInput: false,
      },
      {
        id: 'lab/scripted-model',
        displayName: 'scripted-model',
        contextWindow: 200_000,
        maxOutputTokens: 8000,
        supportsThinking: true,
        supportsImageInput: false,
        pricing: { input: 3, output: 15, cacheRead: 0.3, cacheCreation: 3.75 },
      },
    ]);
  });

  it('rejects a failed list', () => {
    expect(() => adapter.modelQuery!.parse(said('', 1))).toThrow('could not be listed');
    expect(() => adapter.modelQuery!.parse(said('Provider not found: x'))).toThrow('no model');
  });
});

describe('MCP servers of OpenCode', () => {
  const form = adapter.configSchema.mcp;
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'opencode-config-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it.each<McpServer>([
    { command: 'npx', args: ['-y', 'a server'], env: { KEY: 'x' } },
    { command: 'serve' },
    { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer x' } },
  ])('reads them as written: %j', (server) => {
    expect(form?.decode(form.encode(server, 'one'))).toEqual(server);
  });

  describe.each([
    [openCodeAdapter, 'opencode', ['opencode.json', 'opencode.jsonc', 'config.json'], '.opencode/opencode.jsonc'],
    [kiloAdapter, 'kilo', ['kilo.jsonc', 'opencode.json', 'config.json'], '.kilo/kilo.json'],
  ] as const)('configuration files', (agent, folder, names, inProject) => {
    it.each(names)(`writes MCP servers of ${folder} into an existing %s, without another file`, async (name) => {
      const user = join(home, '.config', folder);
      const project = join(home, 'project');
      const put = (path: string) => {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, '{\n  // mine\n  "share": "manual"\n}\n');
      };
      put(join(user, name));
      put(join(project, inProject));
      const client = createClient({ adapters: [agent], env: { HOME: home } });
      for (const scope of ['global', 'project'] as const) {
        await client.mcp.add('one', { command: 'serve' }, { agents: [agent.agent], scope, cwd: project });
        await client.config.set(agent.agent, { model: 'p/m' }, { scope, cwd: project });
      }
      for (const path of [join(user, name), join(project, inProject)]) {
        const written = readFileSync(path, 'utf8');
        for (const part of ['// mine', '"serve"', '"p/m"', '"manual"']) expect(written).toContain(part);
      }
      expect(readdirSync(user)).toEqual([name]);
      expect(readdirSync(project)).toEqual([dirname(inProject)]);
    });
  });

  it('ignores another format', () => {
    expect(form?.decode({ enabled: false })).toBeNull();
    expect(form?.decode({ type: 'local', command: 'npx x' })).toBeNull();
  });
});

describe('plugins of OpenCode', () => {
  it('are those of its merged configuration', () => {
    const config = {
      plugin: ['file:///workspace/plug', 'helper@1.2.3', ['@scope/tool', { on: true }]],
      plugin_origins: [{ spec: 'file:///workspace/plug', source: '/home/me/.config/opencode', scope: 'global' }],
    };
    expect(adapter.plugins!.list.parse(said(JSON.stringify(config)))).toEqual([
      { id: '/workspace/plug', enabled: true, format: 'extension', source: '/home/me/.config/opencode' },
      { id: 'helper', version: '1.2.3', enabled: true, format: 'npm-package' },
      { id: '@scope/tool', enabled: true, format: 'npm-package' },
    ]);
    expect(() => adapter.plugins!.list.parse(said('Error: bad config', 1))).toThrow('could not be read');
  });

  it('are installed by its own command and cannot be removed', () => {
    expect(adapter.plugins!.install('helper', { version: '2.0.0' }).args).toEqual([
      'plugin',
      'helper@2.0.0',
      '--global',
    ]);
    expect(adapter.plugins!.install('helper', { global: false }).args).toEqual(['plugin', 'helper']);
    expect(() => adapter.plugins!.install('helper', { registry: 'other' })).toThrow(CapabilityError);
    expect(() => adapter.plugins!.uninstall('helper', {})).toThrow(CapabilityError);
  });
});

describe('login of OpenCode', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'opencode-login-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const logins = (content: Record<string, unknown>) => {
    const file = join(home, '.local/share/opencode/auth.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(content));
    return adapter.detectAuth({ HOME: home });
  };

  it('is a key or an account in its file', async () => {
    expect(await logins({ openrouter: { type: 'api', key: 'x' } })).toMatchObject({
      status: 'authenticated',
      method: 'api_key',
    });
    const account = { type: 'oauth', refresh: 'x', access: 'x', expires: 1 };
    expect(await logins({ anthropic: account })).toMatchObject({ status: 'authenticated', method: 'oauth' });
  });

  it('is absent if the file is empty', async () => {
    expect(await logins({})).toMatchObject({ status: 'unknown' });
  });
});
