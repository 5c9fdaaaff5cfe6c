import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BaseAgentAdapter } from '../adapter/base-adapter.ts';
import { createClient } from '../client/client.ts';
import type { SpawnArgs } from '../contract/adapter.ts';
import type { AgentConfigSchema, ConfigFormat, McpConfigFormat } from '../contract/auth-and-config.ts';
import { NO_CAPABILITIES } from '../contract/capabilities.ts';
import { CapabilityError } from '../contract/errors.ts';
import type { AgentMcpServers } from '../contract/native-config.ts';
import type { McpServer } from '../contract/options.ts';
import { SECRET_MASK } from './mask.ts';

/** The most common format. */
const PLAIN: Pick<McpConfigFormat, 'encode' | 'decode'> = {
  encode: (server) => ({ ...server }),
  decode: ({ command, args, env, url, type, headers }) => {
    if (typeof command === 'string') {
      const list = Array.isArray(args) ? { args: args.map(String) } : {};
      return { command, ...list, ...(env ? { env: texts(env) } : {}) };
    }
    if (typeof url !== 'string') return null;
    return { type: type === 'sse' ? 'sse' : 'http', url, ...(headers ? { headers: texts(headers) } : {}) };
  },
};

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, text]) => [name, String(text)]));
}

class Agent extends BaseAgentAdapter {
  readonly agent: string;
  readonly displayName: string;
  readonly cliCommand = 'none';
  override readonly capabilities = NO_CAPABILITIES;
  override readonly configSchema: AgentConfigSchema;

  constructor(agent: string, format: ConfigFormat, mcp?: McpConfigFormat) {
    super();
    this.agent = agent;
    this.displayName = agent;
    const paths = { configFilePaths: [`~/${agent}.${format}`], projectConfigFilePaths: [] };
    this.configSchema = { agent, fields: [], ...paths, format, ...(mcp ? { mcp } : {}) };
  }

  buildSpawnArgs(): SpawnArgs {
    return { command: 'none', args: [], env: {}, cwd: '/', usePty: false };
  }

  parseEvent(): null {
    return null;
  }
}

const form = (agent: string, format: ConfigFormat, more: Partial<McpConfigFormat> = {}): McpConfigFormat => ({
  globalFile: `~/${agent}.${format}`,
  projectFile: `.${agent}.${format}`,
  key: 'mcpServers',
  ...PLAIN,
  ...more,
});

const noSse = (server: McpServer) => {
  if (server.type === 'sse') throw new CapabilityError('tommy', 'mcpServers', 'tommy has no SSE');
  return { ...server };
};

let home: string;
let cwd: string;
let mcp: AgentMcpServers;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'amux-mcp-'));
  cwd = join(home, 'project');
  mkdirSync(cwd);
  const adapters = [
    new Agent('jason', 'jsonc', form('jason', 'jsonc')),
    new Agent('tommy', 'toml', form('tommy', 'toml', { key: 'mcp.servers', projectFile: undefined, encode: noSse })),
    new Agent('lister', 'yaml', form('lister', 'yaml', { list: true })),
    new Agent('without', 'json'),
  ];
  mcp = createClient({ adapters, env: { HOME: home } }).mcp;
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const ALL = ['jason', 'lister', 'tommy'];
const FILES = { command: 'npx', args: ['-y', 'files', '.'], env: { TOKEN: 'hush' } };
const TOML = '# mine\ntheme = "dark"\n\n[projects."/a.b"]\ntrust = true # yes\n';
const read = (path: string) => readFileSync(join(home, path), 'utf8');

function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

describe('MCP servers', () => {
  it('are added to several agents in their formats, listed without secrets, and removed', async () => {
    put('jason.jsonc', '{\n  // mine\n  "theme": "dark"\n}\n');
    put('tommy.toml', TOML);
    const added = await mcp.add('files', FILES, { agents: ALL, cwd });
    expect(added).toMatchObject([
      { agent: 'jason', done: 'added', backup: expect.any(String) },
      { agent: 'lister', done: 'added' },
      { agent: 'tommy', done: 'added' },
    ]);
    expect(read('jason.jsonc')).toContain('// mine');
    expect(read('tommy.toml')).toBe(
      `${TOML}\n[mcp.servers.files]\ncommand = "npx"\nargs = [ "-y", "files", "." ]\n\n[mcp.servers.files.env]\nTOKEN = "hush"\n`,
    );
    expect(read('lister.yaml')).toMatch(/^mcpServers:\n {2}- name: files\n {4}command: npx\n/);
    const { servers, problems } = await mcp.list({ cwd });
    expect(problems).toEqual([]);
    const server = { ...FILES, env: { TOKEN: SECRET_MASK } };
    expect(servers).toEqual(
      ALL.map((agent) => expect.objectContaining({ agent, name: 'files', scope: 'global', server })),
    );
    expect((await mcp.list({ cwd, agents: ['jason'], showSecrets: true })).servers).toMatchObject([{ server: FILES }]);
    const removed = await mcp.remove('files', { agents: ALL, cwd });
    expect(removed.map(({ done }) => done)).toEqual(['removed', 'removed', 'removed']);
    expect((await mcp.list({ cwd })).servers).toEqual([]);
    expect(read('tommy.toml')).toBe(TOML);
    expect((await mcp.remove('files', { agents: ['jason'], cwd }))[0]?.done).toBe('absent');
  });

  describe('of an agent with several files', () => {
    const files = (...names: string[]) => names.map((name) => `~/${name}`);
    const several = () => {
      const many = form('many', 'jsonc', {
        globalFile: files('many.json', 'many.jsonc', 'old.json'),
        projectFile: ['many.json', '.many/many.json'],
      });
      return createClient({ adapters: [new Agent('many', 'jsonc', many)], env: { HOME: home } }).mcp;
    };
    const where = { agents: ['many'] };

    it.each([
      ['many.json', []],
      ['many.jsonc', ['many.jsonc']],
      ['old.json', ['old.json']],
      ['many.json', ['many.json', 'old.json']],
    ])('are added to %s if these exist: %j', async (expected, there) => {
      for (const name of there) put(name, '{ "theme": "dark" } // mine\n');
      expect(await several().add('files', FILES, { ...where, cwd })).toMatchObject([
        { done: 'added', file: join(home, expected) },
      ]);
      for (const name of ['many.json', 'many.jsonc', 'old.json'].filter((one) => one !== expected)) {
        expect(existsSync(join(home, name))).toBe(there.includes(name));
      }
    });

    it("are added to the project's file", async () => {
      put('project/.many/many.json', '{}');
      await several().add('files', FILES, { ...where, cwd, scope: 'project' });
      expect(read('project/.many/many.json')).toContain('npx');
      expect(existsSync(join(cwd, 'many.json'))).toBe(false);
    });

    it('are found, changed and removed where they are', async () => {
      put('many.json', '{}');
      put('many.jsonc', '{ "mcpServers": { "files": { "command": "old" } } }');
      put('old.json', '{ "mcpServers": { "files": { "command": "older" }, "more": { "command": "m" } } }');
      const { servers } = await several().list({ ...where, cwd });
      expect(servers.map(({ name, file }) => [name, file])).toEqual([
        ['files', join(home, 'many.jsonc')],
        ['files', join(home, 'old.json')],
        ['more', join(home, 'old.json')],
      ]);
      await expect(several().add('more', FILES, { ...where, cwd })).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
      await several().add('more', FILES, { ...where, cwd, force: true });
      expect(read('old.json')).toContain('npx');
      expect(read('many.json')).toBe('{}');
      const removed = await several().remove('files', { ...where, cwd });
      expect(removed.map(({ done }) => done)).toEqual(['removed', 'removed']);
      expect(`${read('many.jsonc')}${read('old.json')}`).not.toContain('"files": {');
    });
  });

  it('are listed once in the home folder, where user and project share a file', async () => {
    const adapter = new Agent('homey', 'json', form('homey', 'json', { projectFile: 'homey.json' }));
    const servers = createClient({ adapters: [adapter], env: { HOME: home } }).mcp;
    await servers.add('files', FILES, { agents: ['homey'] });
    expect((await servers.list({ cwd: home })).servers).toMatchObject([{ name: 'files', scope: 'global' }]);
  });

  it('with an existing name are refused without force, unless they are equal', async () => {
    await mcp.add('files', FILES, { agents: ALL, cwd });
    expect((await mcp.add('files', FILES, { agents: ALL, cwd })).map(({ done }) => done)).toEqual(
      ALL.map(() => 'unchanged'),
    );
    await mcp.remove('files', { agents: ['jason'], cwd });
    const other = { type: 'http' as const, url: 'https://example.com/mcp' };
    await expect(mcp.add('files', other, { agents: ALL, cwd })).rejects.toMatchObject({ agent: 'lister' });
    expect((await mcp.list({ agents: ['jason'], cwd })).servers, 'nothing is written if one is refused').toEqual([]);
    const forced = await mcp.add('files', other, { agents: ALL, cwd, force: true });
    expect(forced.map(({ done }) => done)).toEqual(['added', 'replaced', 'replaced']);
    expect((await mcp.list({ cwd })).servers.map(({ server }) => server)).toEqual(ALL.map(() => other));
  });

  it('keep comments and unknown settings when they are replaced', async () => {
    put(
      'jason.jsonc',
      '{ "mcpServers": {\n  "a": {\n    // slow\n    "timeout": 9,\n    "command": "old",\n    "args": ["x"]\n  }\n} }',
    );
    await mcp.add('a', { command: 'new' }, { agents: ['jason'], cwd, force: true });
    expect(read('jason.jsonc')).toBe(
      '{ "mcpServers": {\n  "a": {\n    // slow\n    "timeout": 9,\n    "command": "new"\n  }\n} }',
    );
  });

  it('are written for no agent if one of them does not support it', async () => {
    const sse = { type: 'sse' as const, url: 'https://example.com/sse' };
    await expect(mcp.add('s', sse, { agents: ['jason', 'tommy'], cwd })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
    });
    put('lister.yaml', 'a: [');
    await expect(mcp.add('f', FILES, { agents: ['jason', 'lister'], cwd })).rejects.toMatchObject({
      code: 'CONFIG_ERROR',
    });
    await expect(mcp.add('f', FILES, { agents: ['jason', 'without'], cwd })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
      hint: 'supported by jason, lister, tommy',
    });
    const project = mcp.add('f', FILES, { agents: ['tommy'], scope: 'project', cwd });
    await expect(project).rejects.toMatchObject({ code: 'CAPABILITY_ERROR', hint: 'supported by jason, lister' });
    const listed = await mcp.list({ cwd });
    expect(listed.servers).toEqual([]);
    expect(listed.problems).toMatchObject([{ agent: 'lister', problem: expect.stringContaining('lister.yaml:') }]);
  });

  it('of a project stay in it', async () => {
    await mcp.add('f', FILES, { agents: ['jason'], scope: 'project', cwd });
    expect((await mcp.list({ cwd })).servers).toMatchObject([{ scope: 'project', name: 'f' }]);
    put('victim.yaml', 'a: 1\n');
    await symlink(join(home, 'victim.yaml'), join(cwd, '.lister.yaml'));
    const write = mcp.add('f', FILES, { agents: ['lister'], scope: 'project', cwd });
    await expect(write).rejects.toMatchObject({ message: expect.stringContaining('leads out of the project') });
    expect(read('victim.yaml')).toBe('a: 1\n');
  });

  it('are validated: name, URL, and no mask instead of a secret', async () => {
    const add = (name: string, server: McpServer) => mcp.add(name, server, { agents: ['jason'], cwd });
    await expect(add('a.b', FILES)).rejects.toMatchObject({ issues: [{ field: 'name' }] });
    await expect(add('a', { type: 'http', url: 'file:///x' })).rejects.toMatchObject({ issues: [{ field: 'url' }] });
    await expect(add('a', { command: 'x', env: { T: SECRET_MASK } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('are not written in a dry run', async () => {
    const planned = await mcp.add('f', FILES, { agents: ALL, cwd, dryRun: true });
    expect(planned.map(({ done }) => done)).toEqual(['added', 'added', 'added']);
    expect((await mcp.list({ cwd })).servers).toEqual([]);
  });
});
