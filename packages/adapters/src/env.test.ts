import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AgentAdapter, buildChildEnv, filterAdapterEnv, modesOf, readConfigEnv } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { builtInAdapters } from './catalog.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

const adapters = builtInAdapters();
const named = (agent: string): AgentAdapter => {
  const found = adapters.find((adapter) => adapter.agent === agent);
  if (!found) throw new Error(`no ${agent}`);
  return found;
};

describe('environment of the built-in agents', () => {
  const FOREIGN = ['GITHUB_TOKEN', 'GH_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'NPM_TOKEN', 'HF_TOKEN', 'CLOUDFLARE_API_KEY'];
  const MORE = ['DATABRICKS_TOKEN', 'GOOGLE_CLIENT_SECRET', 'AZURE_CLIENT_SECRET', 'DATABASE_URL', 'VAULT_TOKEN'];

  it('has no key for more than models, except that Copilot has its GitHub login', () => {
    const hostEnv = Object.fromEntries([...FOREIGN, ...MORE].map((name) => [name, 'secret-of-the-host']));
    const reached = adapters.flatMap(({ agent, envAllowList }) =>
      Object.keys(buildChildEnv({ hostEnv, envAllowList })).map((name) => `${agent} ${name}`),
    );
    expect(reached).toEqual(['copilot GITHUB_TOKEN', 'copilot GH_TOKEN']);
  });

  it('keeps every switch that its adapter sets, even if the host has the same value', () => {
    const lost = adapters.flatMap((adapter) =>
      modesOf(adapter).flatMap((mode) => {
        const options = createResolvedOptions({ agent: adapter.agent, mode: mode.name });
        const { env } = adapter.buildSpawnArgs(options);
        const { dropped } = filterAdapterEnv(env, {
          hostEnv: env,
          envAllowList: adapter.envAllowList,
          allHostSignals: adapters.flatMap(({ hostEnvSignals = [] }) => hostEnvSignals),
          isRemote: true,
        });
        return dropped.map((name) => `${adapter.agent} ${mode.name} ${name}`);
      }),
    );
    expect(lost).toEqual([]);
  });
});

describe('environment variables named in agent configurations', () => {
  const JSON_FILES: Record<string, [file: string, content: unknown, names: string[]][]> = {
    opencode: [
      [
        '.config/opencode/opencode.json',
        {
          provider: { own: { options: { apiKey: '{env:OWN_KEY}' }, env: ['LISTED_KEY'] } },
          mcp: { x: { headers: { Authorization: 'Bearer {env:MCP_TOKEN}' } } },
        },
        ['OWN_KEY*', 'LISTED_KEY*', 'MCP_TOKEN'],
      ],
    ],
    kilo: [['.config/kilo/kilo.jsonc', { provider: { own: { options: { apiKey: '{env:OWN_KEY}' } } } }, ['OWN_KEY*']]],
    pi: [
      [
        '.pi/agent/models.json',
        {
          providers: { a: { apiKey: '$OWN_KEY', headers: { 'x-a': `id \${OTHER_KEY}` } }, b: { apiKey: 'sk-literal' } },
        },
        ['OWN_KEY*', 'OTHER_KEY*'],
      ],
    ],
    qwen: [
      [
        '.qwen/settings.json',
        {
          modelProviders: { openai: [{ id: 'm', envKey: 'OWN_KEY' }] },
          mcpServers: { x: { env: { A: '$MCP_TOKEN' } } },
        },
        ['OWN_KEY*', 'MCP_TOKEN'],
      ],
    ],
    gemini: [['.gemini/settings.json', { mcpServers: { x: { env: { A: `\${MCP_TOKEN}` } } } }, ['MCP_TOKEN']]],
    claude: [
      [
        '.claude.json',
        {
          mcpServers: { x: { headers: { A: `\${MCP_TOKEN:-none}` } } },
          projects: { '/p': { history: ['$NOT_THIS'] } },
        },
        ['MCP_TOKEN'],
      ],
    ],
    goose: [['.config/goose/custom_providers/own.json', { name: 'own', api_key_env: 'OWN_KEY' }, ['OWN_KEY*']]],
    openclaw: [['.openclaw/openclaw.json', { models: { providers: { a: { apiKey: `\${OWN_KEY}` } } } }, ['OWN_KEY*']]],
    droid: [['.factory/mcp.json', { mcpServers: { x: { headers: { A: `\${MCP_TOKEN}` } } } }, ['MCP_TOKEN']]],
    crush: [['.config/crush/crush.json', { providers: { a: { api_key: '$OWN_KEY' } } }, ['OWN_KEY*']]],
  };
  const TEXT_FILES: Record<string, [file: string, content: string, names: string[]][]> = {
    codex: [
      [
        '.codex/config.toml',
        [
          '[model_providers.own]\nenv_key = "OWN_KEY"\nenv_http_headers = { "x-a" = "OTHER_KEY" }',
          '[mcp_servers.x]\nbearer_token_env_var = "MCP_TOKEN"\nenv_vars = ["LISTED", { name = "NAMED", source = "local" }]',
        ].join('\n'),
        ['OWN_KEY*', 'OTHER_KEY*', 'MCP_TOKEN', 'LISTED', 'NAMED'],
      ],
    ],
    grok: [
      [
        '.grok/config.toml',
        `[model.a]\nenv_key = "OWN_KEY"\n[model.b]\nenv_key = ["OTHER_KEY"]\n[mcp_servers.x.headers]\nA = "Bearer \${MCP_TOKEN}"\n`,
        ['OWN_KEY*', 'OTHER_KEY*', 'MCP_TOKEN'],
      ],
    ],
    continue: [
      [
        '.continue/config.yaml',
        `models:\n  - name: a\n    apiKey: \${{ secrets.OWN_KEY }}\nmcpServers:\n  - name: x\n    env:\n      A: \${{ secrets.org/pkg/MCP_TOKEN }}\n`,
        ['OWN_KEY*', 'MCP_TOKEN'],
      ],
    ],
    goose: [['.config/goose/config.yaml', 'extensions:\n  x:\n    env_keys: [MCP_TOKEN]\n', ['MCP_TOKEN']]],
    vibe: [['.vibe/config.toml', '[[providers]]\nname = "a"\napi_key_env_var = "OWN_KEY"\n', ['OWN_KEY*']]],
    omp: [['.omp/agent/models.yml', 'providers:\n  a: { apiKey: SET_KEY }\n  b: { apiKey: hunter2 }\n', ['SET_KEY*']]],
  };
  const cases = [
    ...Object.entries(JSON_FILES).flatMap(([agent, files]) =>
      files.map(([file, content, names]) => ({ agent, file, content: JSON.stringify(content), names })),
    ),
    ...Object.entries(TEXT_FILES).flatMap(([agent, files]) =>
      files.map(([file, content, names]) => ({ agent, file, content, names })),
    ),
  ];

  function homeWith(file: string, content: string): NodeJS.ProcessEnv {
    const home = mkdtempSync(join(tmpdir(), 'agent-mux-env-'));
    homes.push(home);
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), content);
    return { HOME: home, SET_KEY: 'set' };
  }

  it.each(cases)('are found for $agent in $file', async ({ agent, file, content, names }) => {
    const env = homeWith(file, content);
    const found = await readConfigEnv(named(agent).configSchema, { env });
    expect(found.map(({ name, login }) => (login ? `${name}*` : name)).sort()).toEqual([...names].sort());
    for (const variable of found) expect(variable).toMatchObject({ scope: 'global', file: `~/${file}` });
  });

  it.each(cases)('are none if the file of $agent ($file) is broken', async ({ agent, file }) => {
    for (const broken of ['{"a": ', '\u0000\u0001', '[1, 2]', '"text"']) {
      const env = homeWith(file, broken);
      expect(await readConfigEnv(named(agent).configSchema, { env })).toEqual([]);
    }
  });
});
