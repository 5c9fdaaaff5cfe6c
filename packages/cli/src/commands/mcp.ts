import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { McpChange, McpEntry, McpServer } from '@agent-mux/core';
import { type Command, hasFlag, JSON_FLAG, listFlag, type ParsedArgs, stringFlag, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { agentsOf, SCOPE_FLAGS, scopeOf } from '../native-config/scope-flags.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printInfo, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { escapeUnprintable, toOneLine } from '../screen/plain.ts';
import { defineSubcommands } from '../subcommands.ts';
import { UsageError } from '../usage-error.ts';

const WHERE = ['agent', 'global', 'project'];

export const mcp: Command = defineSubcommands({
  name: 'mcp',
  description:
    "Lists, adds and removes MCP servers in the agents' own configuration files. All agents are\n" +
    'checked before the first file is written.',
  flags: {
    agent: { type: 'string', short: 'a', multiple: true, value: 'A,B', help: 'Agents to use; repeatable' },
    all: { type: 'boolean', help: 'All installed agents that support MCP' },
    ...SCOPE_FLAGS,
    command: { type: 'string', value: 'CMD', help: 'Server program; or pass it after --' },
    arg: { type: 'string', multiple: true, value: 'X', help: 'Server argument; use --arg=-y if it starts with -' },
    env: { type: 'string', multiple: true, value: 'K=V', help: 'Server environment variable; K alone passes yours' },
    url: { type: 'string', value: 'URL', help: 'URL of a running server' },
    sse: { type: 'boolean', help: 'Use server-sent events instead of streamable HTTP' },
    header: { type: 'string', multiple: true, value: 'K=V', help: 'HTTP header to send' },
    force: { type: 'boolean', help: 'Replace an existing server of this name' },
    'dry-run': { type: 'boolean', help: 'Check everything, write nothing' },
    'show-secrets': { type: 'boolean', help: 'Do not mask variables and headers' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  actions: {
    list: {
      usage: '[--agent A,B] [--global|--project] [--show-secrets]',
      about: 'List configured servers',
      maxArgs: 0,
      flags: [...WHERE, 'show-secrets'],
      run: list,
    },
    add: {
      usage:
        'NAME --agent A,B|--all [--project] [--force] [--dry-run] --url URL [--sse] [--header K=V] | -- CMD [ARG...]',
      about: 'Add a server by command or URL',
      minArgs: 1,
      maxArgs: Number.POSITIVE_INFINITY,
      flags: [...WHERE, 'all', 'command', 'arg', 'env', 'url', 'sse', 'header', 'force', 'dry-run'],
      run: add,
    },
    remove: {
      usage: 'NAME [--agent A,B|--all] [--project] [--dry-run]',
      about: 'Remove a server; exits 1 if no agent has it',
      minArgs: 1,
      maxArgs: 1,
      flags: [...WHERE, 'all', 'dry-run'],
      run: remove,
    },
  },
  fallback: 'list',
  examples: [
    { command: 'amux mcp', about: 'List the servers of all agents' },
    {
      command: 'amux mcp add files --agent claude,codex -- npx -y my-mcp-server .',
      about: 'Add a command for two agents',
    },
    {
      command: 'amux mcp add docs --all --url https://example.com/mcp --header Authorization="Bearer $TOKEN"',
      about: 'Add a URL for all installed agents',
    },
    {
      command: 'amux mcp add db --agent gemini --project --command db-mcp --env DB_URL',
      about: 'Add it for this project, with your DB_URL',
    },
    { command: 'amux mcp remove files', about: 'Remove it from every agent that has it' },
  ],
  notes: [
    'Edits your user files unless --project is given. Before the first change, a file is copied to',
    '$XDG_STATE_HOME/agent-mux/backups (~/.local/state/...). Variables and headers are shown as',
    '********.',
  ],
});

function list(args: ParsedArgs): Promise<number> {
  const agents = agentsOf(args);
  return withClient(
    args,
    async (client) => {
      for (const agent of agents) client.adapterNamed(agent);
      const found = await client.mcp.list({
        ...scopeOf(args),
        ...(agents.length > 0 ? { agents } : {}),
        showSecrets: hasFlag(args, 'show-secrets'),
      });
      const code = found.problems.length > 0 ? EXIT.failure : EXIT.ok;
      const { yellow } = paint(process.stderr);
      for (const { agent, problem } of found.problems) {
        printInfo(`${yellow('amux:')} ${agent}: ${toOneLine(problem, 2000)}`);
      }
      if (hasFlag(args, 'json')) printJson<'mcp list'>(found);
      else if (found.servers.length === 0) print('no MCP servers configured');
      else print(addHead([['NAME', 'AGENT', 'SCOPE', 'SERVER'], ...found.servers.map(rowOf)]));
      return code;
    },
    { asksAll: agents.length === 0 },
  );
}

function add(args: ParsedArgs): Promise<number> {
  const [name = '', ...rest] = args.positionals;
  const server = serverOf(args, rest);
  return withClient(args, async (client) => {
    const agents = await chosenAgents(args, client);
    const options = { ...scopeOf(args), agents, force: hasFlag(args, 'force'), dryRun: hasFlag(args, 'dry-run') };
    return report(args, name, await client.mcp.add(name, server, options));
  });
}

function remove(args: ParsedArgs): Promise<number> {
  const [name = ''] = args.positionals;
  return withClient(args, async (client) => {
    const agents = await agentsWith(name, args, client);
    const changes = await client.mcp.remove(name, { ...scopeOf(args), agents, dryRun: hasFlag(args, 'dry-run') });
    const code = report(args, name, changes);
    if (changes.some(({ done }) => done !== 'absent')) return code;
    const { suggestNames } = await import('@agent-mux/core');
    const known = (await client.mcp.list({ ...scopeOf(args), agents })).servers.map((entry) => entry.name);
    const near = suggestNames(name, [...new Set(known)]);
    if (near.length > 0)
      process.stderr.write(`did you mean ${near.map((each) => toOneLine(each, 80)).join(' or ')}?\n`);
    return EXIT.failure;
  });
}

/** Without --agent and --all: the agents that have the server configured. */
async function agentsWith(name: string, args: ParsedArgs, client: ConfiguredClient): Promise<string[]> {
  if (hasFlag(args, 'all') || agentsOf(args).length > 0) return chosenAgents(args, client);
  const { scope = 'global' } = scopeOf(args);
  const able = client.mcp.agents(scope);
  const { servers } = await client.mcp.list({ ...scopeOf(args), agents: able });
  const having = new Set(
    servers.filter((entry) => entry.name === name && entry.scope === scope).map(({ agent }) => agent),
  );
  return having.size > 0 ? [...having] : able;
}

async function chosenAgents(args: ParsedArgs, client: ConfiguredClient): Promise<string[]> {
  const named = agentsOf(args);
  for (const agent of named) client.adapterNamed(agent);
  if (named.length > 0 && hasFlag(args, 'all')) throw new UsageError('--agent and --all are mutually exclusive');
  if (named.length > 0) return named;
  const { scope = 'global' } = scopeOf(args);
  const able = client.mcp.agents(scope);
  if (!hasFlag(args, 'all')) throw new UsageError('missing --agent or --all', `use --agent with ${able.join(', ')}`);
  const found = await Promise.all(able.map((agent) => client.adapters.detect(agent)));
  const here = able.filter((_, index) => found[index]?.installed);
  if (here.length === 0) throw new UsageError('no supported agent is installed', `use --agent with ${able.join(', ')}`);
  return here;
}

function serverOf(args: ParsedArgs, rest: readonly string[]): McpServer {
  const url = stringFlag(args, 'url');
  const [command, ...commandArgs] = [stringFlag(args, 'command'), ...rest].filter((word) => word !== undefined);
  const headers = pairs('--header', listFlag(args, 'header'));
  const env = pairs('--env', listFlag(args, 'env'), process.env);
  const allArgs = [...listFlag(args, 'arg'), ...commandArgs];
  if (url !== undefined) {
    if (command !== undefined) throw new UsageError('--command and --url are mutually exclusive');
    if (env || allArgs.length > 0) throw new UsageError('--env and --arg require a command; use --header with --url');
    return { type: hasFlag(args, 'sse') ? 'sse' : 'http', url, ...(headers ? { headers } : {}) };
  }
  if (command === undefined)
    throw new UsageError('missing server command or URL', 'use --url URL, --command CMD, or -- CMD [ARG...]');
  if (headers || hasFlag(args, 'sse')) throw new UsageError('--header and --sse require --url');
  return { command, ...(allArgs.length > 0 ? { args: allArgs } : {}), ...(env ? { env } : {}) };
}

function pairs(
  flag: string,
  entries: readonly string[],
  otherwise: NodeJS.ProcessEnv = {},
): Record<string, string> | undefined {
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      const name = at === -1 ? entry : entry.slice(0, at);
      const value = at === -1 ? otherwise[entry] : entry.slice(at + 1);
      if (value === undefined || name === '')
        throw new UsageError(`${flag} ${name}: missing value`, `use ${flag} NAME=VALUE`);
      return [name, value];
    }),
  );
}

function rowOf({ name, agent, scope, server }: McpEntry): string[] {
  return [name, agent, scope, server ? toOneLine(formatServer(server), 300) : '(unrecognized format)'];
}

function formatServer(server: McpServer): string {
  if ('command' in server) {
    const env = Object.keys(server.env ?? {}).map((name) => `${name}=${server.env?.[name]}`);
    return [...env, server.command, ...(server.args ?? [])].join(' ');
  }
  const headers = Object.entries(server.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [server.type === 'sse' ? 'sse' : '', server.url, ...headers].filter(Boolean).join(' ');
}

function report(args: ParsedArgs, name: string, changes: readonly McpChange[]): number {
  const code = changes.some(({ done }) => done === 'failed') ? EXIT.failure : EXIT.ok;
  if (hasFlag(args, 'json')) {
    printJson<'mcp add' | 'mcp remove'>({ name, changes });
    return code;
  }
  const { green, red, dim } = paint(process.stdout);
  const would = hasFlag(args, 'dry-run') ? 'would be ' : '';
  const lines = changes.flatMap(({ agent, file, done, backup, problem }) => [
    done === 'failed'
      ? `${red('✗')} ${agent}: ${toOneLine(problem ?? '', 2000)}`
      : `${done === 'absent' ? dim('-') : green('✓')} ${agent}: ${name} ${CHANGE_TEXT[done].replace('{}', would)} ${dim(escapeUnprintable(file))}`,
    ...(backup ? [dim(`  backup: ${backup}`)] : []),
  ]);
  print(lines.join('\n'));
  return code;
}

const CHANGE_TEXT: Readonly<Record<Exclude<McpChange['done'], 'failed'>, string>> = {
  added: '{}added',
  replaced: '{}replaced',
  removed: '{}removed',
  unchanged: 'already configured',
  absent: 'not configured',
};
