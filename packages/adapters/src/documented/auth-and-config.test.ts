import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient, type McpServer } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtInAdapters } from '../catalog.ts';

/** The excluded one is a command of Claude Code, which was tested. */
const adapters = builtInAdapters().filter(({ documentedBy, cliCommand }) => documentedBy && cliCommand !== 'claude');
const STDIO: McpServer = { command: 'npx', args: ['-y', 'files'], env: { TOKEN: 'hush' } };
const HTTP: McpServer = { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } };
const SSE: McpServer = { type: 'sse', url: 'http://127.0.0.1:1/sse' };

let home: string;
let cwd: string;
let client: ReturnType<typeof createClient>;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'amux-documented-'));
  cwd = join(home, 'project');
  mkdirSync(cwd);
  client = createClient({ adapters, env: { HOME: home } });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(home, path), 'utf8');
function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const COMMON = { command: 'npx', args: ['-y', 'files'], env: { TOKEN: 'hush' } };

describe('MCP servers of documented agents', () => {
  it.each([
    ['amp', '.config/amp/settings.json', { 'amp.mcpServers': { files: COMMON } }],
    ['auggie', '.augment/settings.json', { mcpServers: { files: COMMON } }],
    ['crush', '.config/crush/crush.json', { mcp: { files: { type: 'stdio', ...COMMON } } }],
    ['cursor', '.cursor/mcp.json', { mcpServers: { files: COMMON } }],
    ['kiro', '.kiro/settings/mcp.json', { mcpServers: { files: COMMON } }],
  ])('writes the documented file of %s', async (agent, file, content) => {
    await client.mcp.add('files', STDIO, { agents: [agent], cwd });
    expect(JSON.parse(read(file))).toEqual(content);
  });

  it.each([
    ['amp', 'project/.amp/settings.json'],
    ['auggie', 'project/.augment/settings.json'],
    ['crush', 'project/crush.json'],
    ['cursor', 'project/.cursor/mcp.json'],
    ['kiro', 'project/.kiro/settings/mcp.json'],
    ['vibe', 'project/.vibe/config.toml'],
  ])('writes the project file of %s', async (agent, file) => {
    await client.mcp.add('files', STDIO, { agents: [agent], cwd, scope: 'project' });
    expect(read(file)).toContain('files');
    expect((await client.mcp.list({ cwd, agents: [agent] })).servers).toMatchObject([{ agent, scope: 'project' }]);
  });

  it.each([
    ['amp', 'http'],
    ['auggie', 'sse'],
    ['crush', 'sse'],
    ['cursor', 'sse'],
    ['hermes', 'sse'],
    ['kiro', 'http'],
    ['vibe', 'none'],
  ])('reads those of %s back unchanged, SSE as %s', async (agent, sse) => {
    const options = { agents: [agent], cwd };
    await client.mcp.add('local', STDIO, options);
    await client.mcp.add('web', HTTP, options);
    const old = client.mcp.add('old', SSE, options);
    if (sse === 'none') await expect(old).rejects.toThrow('not over SSE');
    else await old;
    const { servers, problems } = await client.mcp.list({ ...options, showSecrets: true });
    expect(problems).toEqual([]);
    const all = Object.fromEntries(servers.map(({ name, server }) => [name, server]));
    expect(all).toEqual({ local: STDIO, web: HTTP, ...(sse === 'none' ? {} : { old: { ...SSE, type: sse } }) });
  });

  it('writes those of hermes into its YAML and keeps comments', async () => {
    put('.hermes/config.yaml', '# mine\nmodel:\n  default: some/model # best\n');
    await client.mcp.add('web', HTTP, { agents: ['hermes'], cwd });
    await client.mcp.add('old', SSE, { agents: ['hermes'], cwd });
    expect(read('.hermes/config.yaml')).toMatch(/^# mine\nmodel:\n {2}default: some\/model # best\nmcp_servers:\n/);
    expect(read('.hermes/config.yaml')).toContain('transport: sse');
  });

  it('writes those of vibe as tables in a list and keeps a command with spaces as one word', async () => {
    put('.vibe/config.toml', 'active_model = "local" # mine\n');
    const server = { command: '/opt/my tools/serve', args: ['x'] };
    await client.mcp.add('spaced', server, { agents: ['vibe'], cwd });
    await client.mcp.add('web', HTTP, { agents: ['vibe'], cwd });
    const text = read('.vibe/config.toml');
    expect(text).toContain('active_model = "local" # mine');
    expect(text.match(/^\[\[mcp_servers\]\]$/gm)).toHaveLength(2);
    expect(text).toMatch(/command = \[ ?"\/opt\/my tools\/serve" ?\]/);
    expect(text).toContain('transport = "streamable-http"');
    const { servers } = await client.mcp.list({ agents: ['vibe'], cwd });
    expect(servers.find(({ name }) => name === 'spaced')?.server).toEqual(server);
  });

  it('is not offered if the agent has none', () => {
    expect(client.mcp.agents()).not.toContain('aider');
  });
});

describe('settings of documented agents', () => {
  it('have keys with dots if the agent uses them', async () => {
    await client.config.set('kiro', { model: 'claude-sonnet-4.6', agent: 'mine' }, { cwd });
    expect(JSON.parse(read('.kiro/settings/cli.json'))).toEqual({
      'chat.defaultModel': 'claude-sonnet-4.6',
      'chat.defaultAgent': 'mine',
    });
    put('.config/amp/settings.json', '{\n  // mine\n  "amp.showCosts": false\n}\n');
    expect((await client.config.get('amp', { cwd })).values).toMatchObject({ showCosts: false });
    await client.config.set('amp', { toolsDisable: ['Bash'] }, { cwd });
    expect(read('.config/amp/settings.json')).toContain('// mine');
    expect(read('.config/amp/settings.json')).toMatch(/"amp.tools.disable": \[\s*"Bash"\s*\]/);
  });

  it('writes those of crush to the file of its terminal choices, which wins', async () => {
    put('.config/crush/crush.json', '{}');
    put('.local/share/crush/crush.json', '{"models":{"large":{"model":"chosen","provider":"openai"}}}');
    await client.config.set('crush', { model: 'wanted' }, { cwd });
    expect(JSON.parse(read('.local/share/crush/crush.json'))).toMatchObject({ models: { large: { model: 'wanted' } } });
    expect((await client.config.get('crush', { cwd })).values).toMatchObject({ model: 'wanted', provider: 'openai' });
  });

  it('are located where the environment variables of the agent say', async () => {
    const env = {
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'xdg'),
      HERMES_HOME: join(home, 'h'),
      KIRO_HOME: join(home, 'k'),
    };
    const moved = createClient({ adapters, env });
    await moved.config.set('crush', { model: 'a' }, { cwd });
    await moved.config.set('hermes', { model: 'b' }, { cwd });
    await moved.config.set('kiro', { model: 'c' }, { cwd });
    expect(read('xdg/crush/crush.json')).toContain('"a"');
    expect(read('h/config.yaml')).toContain('default: b');
    expect(read('k/settings/cli.json')).toContain('"c"');
    const both = createClient({ adapters, env: { ...env, CRUSH_GLOBAL_CONFIG: join(home, 'c') } });
    await both.config.set('crush', { model: 'd' }, { cwd });
    expect(read('c/crush.json')).toContain('"d"');
  });
});

describe('logins of documented agents', () => {
  const named = (agent: string) => adapters.find((adapter) => adapter.agent === agent)!;

  it.each([
    ['aider', '.aider.conf.yml', 'openai-api-key: sk-hush\n', 'config_file'],
    ['aider', '.aider/oauth-keys.env', 'OPENROUTER_API_KEY="hush"\n', 'oauth'],
    ['crush', '.local/share/crush/crush.json', '{"providers":{"openai":{"api_key":"hush"}}}', 'config_file'],
    ['hermes', '.hermes/config.yaml', 'model:\n  api_key: hush\n', 'config_file'],
    ['hermes', '.hermes/.env', '# mine\nOPENROUTER_API_KEY=hush\n', 'api_key'],
    ['hermes', '.hermes/auth.json', '{"version":1,"providers":{"nous":{"access_token":"hush"}}}', 'oauth'],
    ['vibe', '.vibe/.env', 'MISTRAL_API_KEY=hush\n', 'api_key'],
  ])('detects that of %s in %s without leaking it', async (agent, file, text, method) => {
    put(file, text);
    const state = await named(agent).detectAuth({ HOME: home });
    expect(state).toMatchObject({ status: 'authenticated', method });
    expect(JSON.stringify(state)).not.toContain('hush');
  });

  it('is absent if the file contains none', async () => {
    put('.hermes/.env', 'OPENROUTER_API_KEY=\n');
    put('.hermes/auth.json', '{"version":1,"providers":{}}');
    put('.vibe/.env', 'OTHER=1\n');
    expect((await named('hermes').detectAuth({ HOME: home })).status).toBe('unknown');
    expect((await named('vibe').detectAuth({ HOME: home })).status).toBe('unauthenticated');
  });

  it('is unknown if it may be stored somewhere else', async () => {
    for (const agent of ['aider', 'amp', 'crush', 'cursor', 'hermes', 'kiro']) {
      expect((await named(agent).detectAuth({ HOME: home })).status, agent).toBe('unknown');
    }
  });
});
