import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openClawAdapter } from './index.ts';

const adapter = openClawAdapter;
const printed = (output: unknown) => ({ stdout: JSON.stringify(output, null, 2), stderr: '', exitCode: 0 });

describe('configuration of OpenClaw', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'openclaw-home-'));
    mkdirSync(join(home, '.openclaw'));
    writeFileSync(join(home, '.openclaw/openclaw.json'), '{\n  // mine\n  "gateway": { "mode": "local" },\n}\n');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const text = () => readFileSync(join(home, '.openclaw/openclaw.json'), 'utf8');

  it('holds MCP servers, those over HTTP with an explicit transport', async () => {
    const { mcp } = createClient({ adapters: [adapter], env: { HOME: home } });
    const options = { agents: ['openclaw'], cwd: home };
    const servers = {
      local: { command: 'node', args: ['x.mjs'], env: { A: 'b' } },
      old: { type: 'sse' as const, url: 'http://127.0.0.1:1/sse' },
      web: { type: 'http' as const, url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } },
    };
    for (const [name, server] of Object.entries(servers)) await mcp.add(name, server, options);
    expect(text()).toContain('// mine');
    expect(text()).toContain('"transport": "streamable-http"');
    const { servers: listed } = await mcp.list({ ...options, showSecrets: true });
    expect(Object.fromEntries(listed.map(({ name, server }) => [name, server]))).toEqual(servers);
    expect(adapter.configSchema.mcp?.decode({ url: 'http://127.0.0.1:1/sse' })).toEqual(servers.old);
  });

  it('is located by its environment variables', async () => {
    const env = { HOME: home, OPENCLAW_STATE_DIR: join(home, 'state') };
    const { config } = createClient({ adapters: [adapter], env });
    await config.set('openclaw', { model: 'a/b', execMode: 'ask' }, { cwd: home });
    expect(JSON.parse(readFileSync(join(home, 'state/openclaw.json'), 'utf8'))).toEqual({
      agents: { defaults: { model: { primary: 'a/b' } } },
      tools: { exec: { mode: 'ask' } },
    });
  });

  it('shows a login by its providers', async () => {
    writeFileSync(join(home, '.openclaw/openclaw.json'), '{"models":{"providers":{"lab":{"apiKey":"hush"}}}}');
    const state = await adapter.detectAuth({ HOME: home });
    expect(state).toMatchObject({ status: 'authenticated', method: 'config_file' });
    expect(JSON.stringify(state)).not.toContain('hush');
  });

  it('shows a login that is stored in the database of its agent', async () => {
    expect(await adapter.detectAuth({ HOME: home })).toMatchObject({ status: 'unknown' });
    const folder = join(home, '.openclaw/agents/main/agent');
    mkdirSync(folder, { recursive: true });
    using database = new DatabaseSync(join(folder, 'openclaw-agent.sqlite'));
    database.exec('CREATE TABLE auth_profile_store (store_key TEXT PRIMARY KEY, store_json TEXT, updated_at INTEGER)');
    const profiles = { 'anthropic:default': { type: 'api_key', provider: 'anthropic', key: 'hush' } };
    database
      .prepare('INSERT INTO auth_profile_store VALUES (?, ?, 1)')
      .run('primary', JSON.stringify({ version: 1, profiles }));
    const state = await adapter.detectAuth({ HOME: home });
    expect(state).toMatchObject({ status: 'authenticated', details: expect.stringMatching(/a login for anthropic$/) });
  });
});

describe('plugins of OpenClaw', () => {
  const plugins = adapter.plugins!;

  it('parses its list, without bundled ones', () => {
    const list = {
      registry: { source: 'persisted', diagnostics: [] },
      plugins: [
        { id: 'browser', name: 'Browser', origin: 'bundled', format: 'openclaw', enabled: true, version: '2026.9.6' },
        { id: 'mine', name: 'Mine', origin: 'global', format: 'openclaw', enabled: false, version: '1.0.0' },
      ],
    };
    expect(plugins.list.parse(printed(list))).toEqual([
      { id: 'mine', version: '1.0.0', enabled: false, format: 'openclaw' },
    ]);
    expect(() => plugins.list.parse({ stdout: 'Error', stderr: '', exitCode: 1 })).toThrow();
  });

  it('installs from the given source', () => {
    expect(plugins.install('cal', {}).args).toEqual(['plugins', 'install', 'cal']);
    expect(plugins.install('cal', { registry: 'clawhub', version: '1.2.3' }).args.at(-1)).toBe('clawhub:cal@1.2.3');
    expect(plugins.install('cal', { registry: 'mine' }).args.slice(-2)).toEqual(['--marketplace', 'mine']);
    expect(() => plugins.install('cal', { global: false })).toThrow('for the gateway only');
  });

  it('searches ClawHub', () => {
    const query = plugins.search?.('calendar', { limit: 1, page: 2 });
    expect(query?.args).toEqual(['plugins', 'search', 'calendar', '--limit', '2', '--json']);
    const entry = (name: string) => ({ package: { name, latestVersion: '1.0.0', summary: 'Dates' } });
    expect(query?.parse(printed({ results: [entry('a'), entry('b')] }))).toEqual([
      { id: 'b', version: '1.0.0', description: 'Dates', registry: 'clawhub' },
    ]);
    expect(() => plugins.search?.('calendar', { registry: 'other' })).toThrow('ClawHub or npm');
  });
});
