import {
  CapabilityError,
  type ExtensionFolders,
  type InstalledPlugin,
  type PluginFacet,
  type PluginInstallOptions,
  type PluginListing,
} from '@agent-mux/core';
import { type Json, parseRecord, record, records, word } from '../shared/json.ts';
import { CODEX_HOME } from './home.ts';

/**
 * Plugins come from marketplaces, which the user adds with `codex plugin marketplace add`; their ids are
 * `NAME@MARKETPLACE`. `remove` succeeds with one that was never there (0.166).
 */
export const PLUGINS: PluginFacet = {
  formats: ['marketplace-plugin'],
  list: {
    args: ['plugin', 'list', '--json'],
    parse: ({ stdout }) => pluginsIn(stdout, 'installed').map(installedPlugin),
  },
  install(pluginId, options) {
    if (options.version !== undefined)
      throw new CapabilityError('codex', 'version', 'Codex takes the version of a plugin that its marketplace has');
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

/** Beside them it reads `.agents/skills` of the home folder and of the project, which other agents read too. */
export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CODEX_HOME}/skills`, project: '.codex/skills' },
};

function from(marketplace: string | undefined): string[] {
  return marketplace === undefined ? [] : ['--marketplace', marketplace];
}

function assertOfUser({ global }: Pick<PluginInstallOptions, 'global'>): void {
  if (global === false) throw new CapabilityError('codex', 'global', 'the plugins of Codex are those of the user');
}

function pluginsIn(stdout: string, which: 'installed' | 'available'): Json[] {
  const told = parseRecord(stdout)?.[which];
  if (!Array.isArray(told)) throw new Error('no list of plugins');
  return records(told);
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
