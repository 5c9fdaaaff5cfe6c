import {
  CapabilityError,
  type ExtensionFolders,
  type InstalledPlugin,
  type PluginListing,
  type PluginSpec,
} from '@agent-mux/core';
import { type Json, record, records, word } from '../shared/json.ts';
import { CONFIG_HOME } from './home.ts';

/** `claude plugin`, as 2.1.325 has it. A registry is a marketplace: `owner/repo`, an address of it, or a folder. */
export const PLUGINS: PluginSpec = {
  formats: ['marketplace-plugin', 'skill-directory', 'mcp-server'],
  registries: [{ name: 'added marketplaces', searchable: true }],
  list: {
    args: ['plugin', 'list', '--json'],
    parse: ({ stdout }) => listIn(JSON.parse(stdout)).map(readInstalled).filter(isNamed),
  },
  install(pluginId, { version, registry, global = true }) {
    if (version !== undefined) {
      throw new CapabilityError(
        'claude',
        'version',
        'a marketplace of Claude Code offers one version of a plugin only',
      );
    }
    const from = registry === undefined ? [] : ['--marketplace', registry];
    return { args: ['plugin', 'install', ...scope(global), ...from, pluginId] };
  },
  uninstall: (pluginId, { global = true }) => ({ args: ['plugin', 'uninstall', ...scope(global), pluginId] }),
  search: (query, { registry }) => ({
    args: ['plugin', 'list', '--json', '--available'],
    parse: ({ stdout }) =>
      listIn(record(JSON.parse(stdout)).available)
        .map(readOffered)
        .filter(isNamed)
        .filter((listing) => registry === undefined || listing.registry === registry)
        .filter((listing) => speaksOf(listing, query)),
  }),
};

export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CONFIG_HOME}/skills`, project: '.claude/skills' },
  subagents: { global: `${CONFIG_HOME}/agents`, project: '.claude/agents' },
};

function scope(global: boolean): string[] {
  return ['--scope', global ? 'user' : 'project'];
}

function listIn(value: unknown): Json[] {
  if (!Array.isArray(value)) throw new Error('not a list of plugins');
  return records(value);
}

function isNamed({ id }: { id: string }): boolean {
  return id !== '';
}

/** A plugin is listed once for each scope it is installed in. */
function readInstalled(entry: Json): InstalledPlugin {
  return {
    id: word(entry.id) ?? '',
    version: word(entry.version),
    enabled: entry.enabled === true,
    format: 'marketplace-plugin',
    source: word(entry.projectPath) ?? word(entry.scope),
  };
}

function readOffered(entry: Json): PluginListing {
  return {
    id: word(entry.pluginId) ?? '',
    version: word(entry.version),
    description: word(entry.description),
    registry: word(entry.marketplaceName),
  };
}

function speaksOf({ id, description = '' }: PluginListing, query: string): boolean {
  return `${id}\n${description}`.toLowerCase().includes(query.toLowerCase());
}
