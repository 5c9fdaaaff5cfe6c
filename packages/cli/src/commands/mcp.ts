import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { McpChange, McpEntry, McpServer } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { type Command, type Given, isOn, JSON_FLAG, listFlag, TRUST_FLAG, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { agentsOf, SCOPE_FLAGS, scopeOf } from '../native-config/scope-flags.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson, tell } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { makePrintable, toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';

const WHERE = ['agent', 'global', 'project'];

export const mcp: Command = commandOfActions({
  name: 'mcp',
  about:
    "Lists, adds and removes the MCP servers in the agents' own configuration files, translated into the form of each.\n" +
    'All agents are checked before the first file is written.',
  flags: {
    agent: { type: 'string', short: 'a', multiple: true, value: 'A,B', help: 'These agents; may be repeated.' },
    all: { type: 'boolean', help: 'Every agent that is installed here and whose form is known.' },
    ...SCOPE_FLAGS,
    command: { type: 'string', value: 'CMD', help: 'The program that is the server; or as words behind --.' },
    arg: { type: 'string', multiple: true, value: 'X', help: 'An argument of it; --arg=-y where it begins with -.' },
    env: { type: 'string', multiple: true, value: 'K=V', help: 'A variable of it; K alone takes the value from here.' },
    url: { type: 'string', value: 'URL', help: 'The address of a server that runs already.' },
    sse: { type: 'boolean', help: 'It speaks server-sent events, and not streamable HTTP.' },
    header: { type: 'string', multiple: true, value: 'K=V', help: 'A header of every request to it.' },
    force: { type: 'boolean', help: 'Put it in the place of another one of this name.' },
    'dry-run': { type: 'boolean', help: 'Check everything and write nothing.' },
    'show-secrets': { type: 'boolean', help: 'Do not mask variables and headers.' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  actions: {
    list: {
      usage: '[--agent A,B] [--global|--project] [--show-secrets]',
      about: 'what the files name',
      maxWords: 0,
      flags: [...WHERE, 'show-secrets'],
      run: list,
    },
    add: {
      usage:
        'NAME --agent A,B|--all [--project] [--force] [--dry-run] --url URL [--sse] [--header K=V] | -- CMD [ARG...]',
      about: 'a program or an address',
      minWords: 1,
      maxWords: Number.POSITIVE_INFINITY,
      flags: [...WHERE, 'all', 'command', 'arg', 'env', 'url', 'sse', 'header', 'force', 'dry-run'],
      run: add,
    },
    remove: {
      usage: 'NAME [--agent A,B|--all] [--project] [--dry-run]',
      about: 'from every agent that has it, or from those named; exits with 1 if none has it',
      minWords: 1,
      maxWords: 1,
      flags: [...WHERE, 'all', 'dry-run'],
      run: remove,
    },
  },
  otherwise: 'list',
  examples: [
    { command: 'amux mcp', about: 'every server of every agent' },
    {
      command: 'amux mcp add files --agent claude,codex -- npx -y my-mcp-server .',
      about: 'a program, for two agents',
    },
    {
      command: 'amux mcp add docs --all --url https://example.com/mcp --header Authorization="Bearer $TOKEN"',
      about: 'an address, for all that are installed',
    },
    {
      command: 'amux mcp add db --agent gemini --project --command db-mcp --env DB_URL',
      about: 'for this project; the value of DB_URL is taken from here',
    },
    { command: 'amux mcp remove files', about: 'remove it from every agent that has it' },
  ],
  notes: [
    "Without --project the user's own files are changed. The first change of a file leaves a copy of it in",
    '$XDG_STATE_HOME/agent-mux/backups (~/.local/state/...). Variables and headers are shown as ********.',
  ],
});

function list(given: Given): Promise<number> {
  const agents = agentsOf(given);
  return withClient(
    given,
    async (client) => {
      for (const agent of agents) client.adapterNamed(agent);
      const found = await client.mcp.list({
        ...scopeOf(given),
        ...(agents.length > 0 ? { agents } : {}),
        showSecrets: isOn(given, 'show-secrets'),
      });
      const code = found.problems.length > 0 ? EXIT.failure : EXIT.ok;
      const { yellow } = paint(process.stderr);
      for (const { agent, problem } of found.problems) {
        tell(`${yellow('amux:')} ${agent}: ${toOneLine(problem, 2000)}`);
      }
      if (isOn(given, 'json')) printJson<'mcp list'>(found);
      else if (found.servers.length === 0) print('no MCP server is named');
      else print(addHead([['NAME', 'AGENT', 'SCOPE', 'SERVER'], ...found.servers.map(rowOf)]));
      return code;
    },
    { asksAll: agents.length === 0 },
  );
}

function add(given: Given): Promise<number> {
  const [name = '', ...words] = given.words;
  const server = serverOf(given, words);
  return withClient(given, async (client) => {
    const agents = await chosenAgents(given, client);
    const options = { ...scopeOf(given), agents, force: isOn(given, 'force'), dryRun: isOn(given, 'dry-run') };
    return report(given, name, await client.mcp.add(name, server, options));
  });
}

function remove(given: Given): Promise<number> {
  const [name = ''] = given.words;
  return withClient(given, async (client) => {
    const agents = await agentsWith(name, given, client);
    const changes = await client.mcp.remove(name, { ...scopeOf(given), agents, dryRun: isOn(given, 'dry-run') });
    const code = report(given, name, changes);
    if (changes.some(({ done }) => done !== 'absent')) return code;
    const { findNearNames } = await import('@agent-mux/core');
    const known = (await client.mcp.list({ ...scopeOf(given), agents })).servers.map((entry) => entry.name);
    const near = findNearNames(name, [...new Set(known)]);
    if (near.length > 0)
      process.stderr.write(`did you mean ${near.map((each) => toOneLine(each, 80)).join(' or ')}?\n`);
    return EXIT.failure;
  });
}

/** Without --agent and --all: the agents whose files name the server. */
async function agentsWith(name: string, given: Given, client: ConfiguredClient): Promise<string[]> {
  if (isOn(given, 'all') || agentsOf(given).length > 0) return chosenAgents(given, client);
  const { scope = 'global' } = scopeOf(given);
  const able = client.mcp.agents(scope);
  const { servers } = await client.mcp.list({ ...scopeOf(given), agents: able });
  const having = new Set(
    servers.filter((entry) => entry.name === name && entry.scope === scope).map(({ agent }) => agent),
  );
  return having.size > 0 ? [...having] : able;
}

async function chosenAgents(given: Given, client: ConfiguredClient): Promise<string[]> {
  const named = agentsOf(given);
  for (const agent of named) client.adapterNamed(agent);
  if (named.length > 0 && isOn(given, 'all')) throw new UsageError('--agent or --all, not both');
  if (named.length > 0) return named;
  const { scope = 'global' } = scopeOf(given);
  const able = client.mcp.agents(scope);
  if (!isOn(given, 'all')) throw new UsageError('for which agents?', `--agent A,B of ${able.join(', ')}; or --all`);
  const found = await Promise.all(able.map((agent) => client.adapters.detect(agent)));
  const here = able.filter((_, index) => found[index]?.installed);
  if (here.length === 0) throw new UsageError('none of them is installed here', `--agent A,B of ${able.join(', ')}`);
  return here;
}

function serverOf(given: Given, words: readonly string[]): McpServer {
  const url = textFlag(given, 'url');
  const [command, ...args] = [textFlag(given, 'command'), ...words].filter((word) => word !== undefined);
  const headers = pairs('--header', listFlag(given, 'header'));
  const env = pairs('--env', listFlag(given, 'env'), process.env);
  const allArgs = [...listFlag(given, 'arg'), ...args];
  if (url !== undefined) {
    if (command !== undefined) throw new UsageError('a command or an address, not both');
    if (env || allArgs.length > 0) throw new UsageError('--env and --arg are for a command; an address has --header');
    return { type: isOn(given, 'sse') ? 'sse' : 'http', url, ...(headers ? { headers } : {}) };
  }
  if (command === undefined)
    throw new UsageError('what is the server?', '--url URL, --command CMD, or words behind --');
  if (headers || isOn(given, 'sse')) throw new UsageError('--header and --sse are for an address (--url)');
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
        throw new UsageError(`${flag} ${name} has no value`, `${flag} NAME=VALUE`);
      return [name, value];
    }),
  );
}

function rowOf({ name, agent, scope, server }: McpEntry): string[] {
  return [name, agent, scope, server ? toOneLine(inWords(server), 300) : '(in a form of its own)'];
}

function inWords(server: McpServer): string {
  if ('command' in server) {
    const env = Object.keys(server.env ?? {}).map((name) => `${name}=${server.env?.[name]}`);
    return [...env, server.command, ...(server.args ?? [])].join(' ');
  }
  const headers = Object.entries(server.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [server.type === 'sse' ? 'sse' : '', server.url, ...headers].filter(Boolean).join(' ');
}

function report(given: Given, name: string, changes: readonly McpChange[]): number {
  const code = changes.some(({ done }) => done === 'failed') ? EXIT.failure : EXIT.ok;
  if (isOn(given, 'json')) {
    printJson<'mcp add' | 'mcp remove'>({ name, changes });
    return code;
  }
  const { green, red, dim } = paint(process.stdout);
  const would = isOn(given, 'dry-run') ? 'would be ' : '';
  const lines = changes.flatMap(({ agent, file, done, backup, problem }) => [
    done === 'failed'
      ? `${red('✗')} ${agent}: ${toOneLine(problem ?? '', 2000)}`
      : `${done === 'absent' ? dim('-') : green('✓')} ${agent}: ${name} ${IN_WORDS[done].replace('{}', would)} ${dim(makePrintable(file))}`,
    ...(backup ? [dim(`  as it was before: ${backup}`)] : []),
  ]);
  print(lines.join('\n'));
  return code;
}

const IN_WORDS: Readonly<Record<Exclude<McpChange['done'], 'failed'>, string>> = {
  added: '{}added',
  replaced: '{}replaced',
  removed: '{}removed',
  unchanged: 'is there already',
  absent: 'is not there',
};
