import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { droidAdapter } from './index.ts';

const adapter = droidAdapter;
const printed = (stdout: string) => ({ stdout, stderr: '', exitCode: 0 });

describe('MCP servers in the configuration of Droid', () => {
  const { mcp } = adapter.configSchema;

  it.each([
    [
      { command: 'node', args: ['x.mjs'], env: { A: 'b' } },
      { type: 'stdio', command: 'node', args: ['x.mjs'], env: { A: 'b' } },
    ],
    [
      { type: 'http' as const, url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } },
      { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } },
    ],
    [
      { type: 'sse' as const, url: 'http://127.0.0.1:1/sse' },
      { type: 'sse', url: 'http://127.0.0.1:1/sse' },
    ],
  ])('writes and reads an entry as its own command does: %j', (server, entry) => {
    expect(mcp?.encode(server, 'one')).toEqual(entry);
    expect(mcp?.decode({ ...entry, disabled: false })).toEqual(server);
  });
});

describe('plugins of Droid', () => {
  const plugins = adapter.plugins!;

  it('parses its list', () => {
    const list =
      'Installed plugins:\nActive:\n  plug@mkt  [user]  mwitouz\nInactive:\n  old@mkt  [project]  1.0.0  not enabled\n';
    expect(plugins.list.parse(printed(list))).toEqual([
      { id: 'plug@mkt', version: 'mwitouz', enabled: true, format: 'marketplace-plugin', source: 'user' },
      { id: 'old@mkt', version: '1.0.0', enabled: false, format: 'marketplace-plugin', source: 'project' },
    ]);
    expect(plugins.list.parse(printed('No plugins installed.\n'))).toEqual([]);
    expect(() => plugins.list.parse(printed('Error: no'))).toThrow();
  });

  it('installs for the user or the project, without a choice of version', () => {
    expect(plugins.install('plug', { registry: 'mkt' }).args).toEqual([
      'plugin',
      'install',
      '--scope',
      'user',
      'plug@mkt',
    ]);
    expect(plugins.uninstall('plug@mkt', { global: false }).args).toContain('project');
    expect(() => plugins.install('plug@mkt', { version: '1' })).toThrow('one version');
  });
});

describe('models of Droid', () => {
  const answer = readFileSync(new URL('./recordings/list-models.txt', import.meta.url), 'utf8');

  it('lists those that it reports, with custom ones', () => {
    const models = adapter.modelQuery!.parse(printed(answer));
    expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(['gpt-5.6-sol', 'custom:scripted-0']));
    expect(models.find(({ id }) => id === 'glm-5')).toMatchObject({
      supportsThinking: false,
      supportsImageInput: false,
    });
  });

  it('rejects a reply without models', () => {
    expect(() => adapter.modelQuery!.parse(printed('{"type":"notification"}\n'))).toThrow('no list of models');
  });

  it('has the default among the bundled ones', () => {
    expect(adapter.models.some(({ id }) => id === adapter.defaultModelId)).toBe(true);
  });
});

describe('login of Droid', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'droid-home-'));
    mkdirSync(join(home, '.factory'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('is absent without a login file', async () => {
    expect(await adapter.detectAuth({ HOME: home })).toEqual({ status: 'unauthenticated' });
  });

  it.each(['auth.v2.file', 'auth.v2.keyring'])('is detected by %s, whose content is encrypted', async (name) => {
    writeFileSync(join(home, '.factory', name), 'encrypted');
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({
      status: 'authenticated',
      method: 'browser_login',
    });
    expect(await adapter.detectAuth({ HOME: '/nowhere', FACTORY_HOME_OVERRIDE: home })).toMatchObject({
      status: 'authenticated',
    });
  });
});
