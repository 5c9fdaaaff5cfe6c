import {
  CapabilityError,
  type ExtensionFolders,
  type InstalledPlugin,
  type PluginInstallOptions,
  type PluginListing,
  type PluginSpec,
} from '@agent-mux/core';
import { type Json, parseRecord, record, records, word } from '../shared/json.ts';
import { CODEX_HOME } from './home.ts';

/**
 * Plugins come from marketplaces, which the user adds with `codex plugin marketplace add`; their ids are
 * `NAME@MARKETPLACE`. `remove` succeeds with one that was never there (0.166).
 */
export const PLUGINS: PluginSpec = {
  formats: ['marketplace-plugin'],
  list: {
    args: ['plugin', 'list', '--json'],
    parse: ({ stdout }) => pluginsIn(stdout, 'installed').map(installedPlugin),
  },
  install(pluginId, options) {
    if (options.version !== undefined)
      throw new CapabilityError('codex', 'version', 'Codex installs the plugin version of the marketplace');
    assertOfUser(options);
    return { args: ['plugin', 'add', ...from(options.registry), '--', pluginId] };
  },
  uninstall(pluginId, options) {
    assertOfUser(options);
    return { args: ['plugin', 'remove', '--', pluginId] };
  },
  search: (query, { registry, limit = Number.POSITIVE_INFINITY, page = 1 }) => ({
    args: ['plugin', 'list', '--available', '--json', ...from(registry)],
    parse({ stdout }) {
      const all = [...pluginsIn(stdout, 'installed'), ...pluginsIn(stdout, 'available')].map(listing);
      const found = all.filter(({ id }) => id.toLowerCase().includes(query.toLowerCase()));
      return page > 1 ? found.slice((page - 1) * limit, page * limit) : found.slice(0, limit);
    },
  }),
};

/** It also reads `.agents/skills` of the home folder and of the project, which other agents read too. */
export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CODEX_HOME}/skills`, project: '.codex/skills' },
};

function from(marketplace: string | undefined): string[] {
  return marketplace === undefined ? [] : ['--marketplace', marketplace];
}

function assertOfUser({ global }: Pick<PluginInstallOptions, 'global'>): void {
  if (global === false) throw new CapabilityError('codex', 'global', 'Codex installs plugins for the user only');
}

function pluginsIn(stdout: string, which: 'installed' | 'available'): Json[] {
  const listed = parseRecord(stdout)?.[which];
  if (!Array.isArray(listed)) throw new Error('no list of plugins');
  return records(listed);
}

function installedPlugin(plugin: Json): InstalledPlugin {
  const source = word(record(plugin.source).path) ?? word(record(plugin.marketplaceSource).source);
  return {
    id: word(plugin.pluginId) ?? '',
    ...versionOf(plugin),
    enabled: plugin.enabled === true,
    format: 'marketplace-plugin',
    ...(source === undefined ? {} : { source }),
  };
}

function listing(plugin: Json): PluginListing {
  const registry = word(plugin.marketplaceName);
  return { id: word(plugin.pluginId) ?? '', ...versionOf(plugin), ...(registry === undefined ? {} : { registry }) };
}

function versionOf(plugin: Json): { version?: string } {
  const version = word(plugin.version);
  return version === undefined ? {} : { version };
}
