import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { InstalledPlugin, PluginListing } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { type Command, type Given, isOn, JSON_FLAG, TRUST_FLAG, textFlag } from '../command.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { withProgress } from '../screen/progress.ts';
import { UsageError } from '../usage-error.ts';

export const plugins: Command = commandOfActions({
  name: 'plugins',
  about:
    "Lists, installs and removes the plugins of an agent, by the agent's own means. What was changed is read again\n" +
    'before it is said to have worked.',
  flags: {
    project: { type: 'boolean', help: 'For the project in this folder alone, where the agent has such plugins.' },
    version: { type: 'string', value: 'VERSION', help: 'This version.' },
    registry: { type: 'string', value: 'NAME', help: 'From this registry or marketplace.' },
    limit: { type: 'string', value: 'N', help: 'At most so many results.' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  actions: {
    list: {
      usage: '[AGENT]',
      about: 'what an agent has; without one: the agents whose plugins can be managed',
      maxWords: 1,
      flags: [],
      run: list,
    },
    install: {
      usage: 'AGENT PLUGIN [--project] [--version V] [--registry NAME]',
      about: 'a name, an address or a path, as the agent itself takes it',
      minWords: 2,
      maxWords: 2,
      flags: ['project', 'version', 'registry'],
      run: install,
    },
    uninstall: {
      usage: 'AGENT PLUGIN [--project]',
      about: 'by the id that list shows',
      minWords: 2,
      maxWords: 2,
      flags: ['project'],
      run: uninstall,
    },
    search: {
      usage: 'AGENT QUERY [--registry NAME] [--limit N]',
      about: 'in the registries of the agent',
      minWords: 2,
      maxWords: 2,
      flags: ['registry', 'limit'],
      run: search,
    },
  },
  otherwise: 'list',
  examples: [
    { command: 'amux plugins', about: 'which agents have plugins, and of which kinds' },
    { command: 'amux plugins list claude', about: 'what is installed' },
    { command: 'amux plugins install gemini https://github.com/me/extension', about: 'from an address' },
    { command: 'amux plugins uninstall claude formatter@my-market', about: 'and away again' },
    { command: "amux plugins search pi git --json | jq -r '.plugins[].id'", about: 'for a program' },
  ],
});

async function list(given: Given): Promise<number> {
  const [agent] = given.words;
  return withClient(given, async (client) => {
    if (agent === undefined) return supported(given, client);
    client.adapterNamed(agent);
    const found = await withProgress(`asking ${agent}`, () => client.plugins.list(agent));
    if (isOn(given, 'json')) return printJson<'plugins list'>({ agent, plugins: found });
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

function supported(given: Given, client: ConfiguredClient): number {
  const able = client.plugins.supported();
  if (isOn(given, 'json')) return printJson<'plugins list'>({ agents: able });
  const rows = able.map(({ agent, formats, registries, canSearch }) => [
    agent,
    formats.join(' ') || '-',
    canSearch ? 'yes' : 'no',
    registries.map(({ name }) => name).join(' ') || '-',
  ]);
  if (rows.length === 0) return print('no agent that is known here has plugins that can be managed');
  return print(addHead([['AGENT', 'KINDS', 'SEARCH', 'REGISTRIES'], ...rows]));
}

async function install(given: Given): Promise<number> {
  const [agent = '', plugin = ''] = given.words;
  const [version, registry] = [textFlag(given, 'version'), textFlag(given, 'registry')];
  return withClient(given, async (client) => {
    client.adapterNamed(agent);
    const installed = await withProgress(`installing ${plugin}`, (say) =>
      client.plugins.install(agent, plugin, {
        ...(version ? { version } : {}),
        ...(registry ? { registry } : {}),
        ...scope(given),
        onLine: (line) => say(`installing ${plugin}: ${line}`),
      }),
    );
    if (isOn(given, 'json')) return printJson<'plugins install'>({ agent, ...installed });
    return print(`${paint(process.stdout).green('✓')} ${agent} has ${describePlugin(installed)}`);
  });
}

async function uninstall(given: Given): Promise<number> {
  const [agent = '', plugin = ''] = given.words;
  return withClient(given, async (client) => {
    client.adapterNamed(agent);
    await withProgress(`removing ${plugin}`, (say) =>
      client.plugins.uninstall(agent, plugin, {
        ...scope(given),
        onLine: (line) => say(`removing ${plugin}: ${line}`),
      }),
    );
    if (isOn(given, 'json')) return printJson<'plugins uninstall'>({ agent, id: plugin, removed: true });
    return print(`${paint(process.stdout).green('✓')} ${agent} no longer has ${plugin}`);
  });
}

async function search(given: Given): Promise<number> {
  const [agent = '', query = ''] = given.words;
  const [registry, limit] = [textFlag(given, 'registry'), limitOf(given)];
  return withClient(given, async (client) => {
    client.adapterNamed(agent);
    const found: PluginListing[] = await withProgress(`searching for ${query}`, () =>
      client.plugins.search(agent, query, { ...(registry ? { registry } : {}), ...(limit ? { limit } : {}) }),
    );
    if (isOn(given, 'json')) return printJson<'plugins search'>({ agent, plugins: found });
    if (found.length === 0) return print(`nothing was found for ${query}`);
    const rows = found.map(({ id, version = '', description = '' }) => [id, version, description]);
    return print(addHead([['PLUGIN', 'VERSION', 'ABOUT'], ...rows]));
  });
}

function limitOf(given: Given): number | undefined {
  const text = textFlag(given, 'limit');
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError(`--limit: "${text}" is not a number from 1`);
  return limit;
}

function scope(given: Given): { global?: boolean } {
  return isOn(given, 'project') ? { global: false } : {};
}

function describePlugin({ id, version }: InstalledPlugin): string {
  return version ? `${id} ${version}` : id;
}
