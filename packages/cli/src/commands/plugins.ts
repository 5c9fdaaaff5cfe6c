import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { InstalledPlugin, PluginListing } from '@agent-mux/core';
import { type Command, hasFlag, JSON_FLAG, type ParsedArgs, stringFlag, TRUST_FLAG } from '../command.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { withProgress } from '../screen/progress.ts';
import { defineSubcommands } from '../subcommands.ts';
import { UsageError } from '../usage-error.ts';

export const plugins: Command = defineSubcommands({
  name: 'plugins',
  description:
    "Lists, installs, uninstalls and searches an agent's plugins through its own CLI, and checks the\n" + 'result.',
  flags: {
    project: { type: 'boolean', help: 'Use the current project only, if the agent supports it' },
    version: { type: 'string', value: 'VERSION', help: 'Version to install' },
    registry: { type: 'string', value: 'NAME', help: 'Registry or marketplace to use' },
    limit: { type: 'string', value: 'N', help: 'Maximum number of results' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  actions: {
    list: {
      usage: '[AGENT]',
      about: 'List installed plugins, or agents that support plugins',
      maxArgs: 1,
      flags: [],
      run: list,
    },
    install: {
      usage: 'AGENT PLUGIN [--project] [--version V] [--registry NAME]',
      about: 'Install by name, URL or path, as the agent accepts it',
      minArgs: 2,
      maxArgs: 2,
      flags: ['project', 'version', 'registry'],
      run: install,
    },
    uninstall: {
      usage: 'AGENT PLUGIN [--project]',
      about: 'Uninstall by the id shown in the list',
      minArgs: 2,
      maxArgs: 2,
      flags: ['project'],
      run: uninstall,
    },
    search: {
      usage: 'AGENT QUERY [--registry NAME] [--limit N]',
      about: "Search the agent's registries",
      minArgs: 2,
      maxArgs: 2,
      flags: ['registry', 'limit'],
      run: search,
    },
  },
  fallback: 'list',
  examples: [
    { command: 'amux plugins', about: 'List agents that support plugins' },
    { command: 'amux plugins list claude', about: 'List installed plugins' },
    { command: 'amux plugins install gemini https://github.com/me/extension', about: 'Install from a URL' },
    { command: 'amux plugins uninstall claude formatter@my-market', about: 'Uninstall a plugin' },
    { command: "amux plugins search pi git --json | jq -r '.plugins[].id'", about: 'Search in a script' },
  ],
});

async function list(args: ParsedArgs): Promise<number> {
  const [agent] = args.positionals;
  return withClient(args, async (client) => {
    if (agent === undefined) return supported(args, client);
    client.adapterNamed(agent);
    const found = await withProgress(`querying ${agent}`, () => client.plugins.list(agent));
    if (hasFlag(args, 'json')) return printJson<'plugins list'>({ agent, plugins: found });
    if (found.length === 0) return print(`${agent} has no plugins`);
    const rows = found.map(({ id, version = '', enabled, format, source = '' }) => [
      id,
      version,
      enabled ? 'yes' : 'no',
      format,
      source,
    ]);
    return print(addHead([['PLUGIN', 'VERSION', 'ENABLED', 'KIND', 'SOURCE'], ...rows]));
  });
}

function supported(args: ParsedArgs, client: ConfiguredClient): number {
  const able = client.plugins.supported();
  if (hasFlag(args, 'json')) return printJson<'plugins list'>({ agents: able });
  const rows = able.map(({ agent, formats, registries, canSearch }) => [
    agent,
    formats.join(' ') || '-',
    canSearch ? 'yes' : 'no',
    registries.map(({ name }) => name).join(' ') || '-',
  ]);
  if (rows.length === 0) return print('no known agent supports plugins');
  return print(addHead([['AGENT', 'KINDS', 'SEARCH', 'REGISTRIES'], ...rows]));
}

async function install(args: ParsedArgs): Promise<number> {
  const [agent = '', plugin = ''] = args.positionals;
  const [version, registry] = [stringFlag(args, 'version'), stringFlag(args, 'registry')];
  return withClient(args, async (client) => {
    client.adapterNamed(agent);
    const installed = await withProgress(`installing ${plugin}`, (say) =>
      client.plugins.install(agent, plugin, {
        ...(version ? { version } : {}),
        ...(registry ? { registry } : {}),
        ...scope(args),
        onLine: (line) => say(`installing ${plugin}: ${line}`),
      }),
    );
    if (hasFlag(args, 'json')) return printJson<'plugins install'>({ agent, ...installed });
    return print(`${paint(process.stdout).green('✓')} ${agent}: installed ${describePlugin(installed)}`);
  });
}

async function uninstall(args: ParsedArgs): Promise<number> {
  const [agent = '', plugin = ''] = args.positionals;
  return withClient(args, async (client) => {
    client.adapterNamed(agent);
    await withProgress(`removing ${plugin}`, (say) =>
      client.plugins.uninstall(agent, plugin, {
        ...scope(args),
        onLine: (line) => say(`removing ${plugin}: ${line}`),
      }),
    );
    if (hasFlag(args, 'json')) return printJson<'plugins uninstall'>({ agent, id: plugin, removed: true });
    return print(`${paint(process.stdout).green('✓')} ${agent}: uninstalled ${plugin}`);
  });
}

async function search(args: ParsedArgs): Promise<number> {
  const [agent = '', query = ''] = args.positionals;
  const [registry, limit] = [stringFlag(args, 'registry'), limitOf(args)];
  return withClient(args, async (client) => {
    client.adapterNamed(agent);
    const found: PluginListing[] = await withProgress(`searching for ${query}`, () =>
      client.plugins.search(agent, query, { ...(registry ? { registry } : {}), ...(limit ? { limit } : {}) }),
    );
    if (hasFlag(args, 'json')) return printJson<'plugins search'>({ agent, plugins: found });
    if (found.length === 0) return print(`no plugins found for ${query}`);
    const rows = found.map(({ id, version = '', description = '' }) => [id, version, description]);
    return print(addHead([['PLUGIN', 'VERSION', 'DESCRIPTION'], ...rows]));
  });
}

function limitOf(args: ParsedArgs): number | undefined {
  const text = stringFlag(args, 'limit');
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError(`--limit: not a positive number: "${text}"`);
  return limit;
}

function scope(args: ParsedArgs): { global?: boolean } {
  return hasFlag(args, 'project') ? { global: false } : {};
}

function describePlugin({ id, version }: InstalledPlugin): string {
  return version ? `${id} ${version}` : id;
}
