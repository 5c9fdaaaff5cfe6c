import {
  CapabilityError,
  type ExtensionFolders,
  type InstalledPlugin,
  type PluginInstallOptions,
  type PluginSpec,
} from '@agent-mux/core';
import { isRecord, type Json, word } from '../shared/json.ts';
import { COPILOT_HOME } from './home.ts';

/** The marketplace that it comes with. */
const MARKETPLACE = 'awesome-copilot';

export const PLUGINS: PluginSpec = {
  formats: ['marketplace-plugin'],
  registries: [{ name: MARKETPLACE, url: 'https://github.com/github/awesome-copilot', searchable: true }],
  list: {
    args: ['plugin', 'list', '--json'],
    parse: ({ stdout }) => listIn(stdout).filter(isNamed).filter(isInstalled).map(installedPlugin),
  },
  install(pluginId, options) {
    if (options.version !== undefined)
      throw new CapabilityError('copilot', 'version', 'Copilot installs the plugin version of the source');
    assertOfUser(options);
    const from = options.registry === undefined || pluginId.includes('@') ? '' : `@${options.registry}`;
    return { args: ['plugin', 'install', `${pluginId}${from}`] };
  },
  uninstall(pluginId, options) {
    assertOfUser(options);
    return { args: ['plugin', 'uninstall', pluginId] };
  },
  search: (query, { registry = MARKETPLACE, limit = Number.POSITIVE_INFINITY, page = 1 }) => ({
    args: ['plugin', 'marketplace', 'browse', registry, '--json'],
    parse({ stdout }) {
      const wanted = query.toLowerCase();
      const found = listIn(stdout)
        .filter(isNamed)
        .map((plugin) => ({ id: idOf(plugin), description: word(plugin.description), registry }))
        .filter(({ id, description }) => `${id} ${description ?? ''}`.toLowerCase().includes(wanted));
      return page > 1 ? found.slice((page - 1) * limit, page * limit) : found.slice(0, limit);
    },
  }),
};

/** It reads those of `.agents` and, in a project, of `.claude` too, which other agents share. */
export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${COPILOT_HOME}/skills`, project: '.github/skills' },
  subagents: { global: `${COPILOT_HOME}/agents`, project: '.github/agents' },
};

/** Built-in plugins are not installed ones; those of a local marketplace are listed even if disabled (1.0.102). */
function isInstalled({ source, enabled }: Json): boolean {
  return source !== 'builtin' && (source !== 'live' || enabled === true);
}

function installedPlugin(plugin: Json): InstalledPlugin {
  const version = word(plugin.version);
  const source = word(plugin.installedFrom);
  return {
    id: idOf(plugin),
    ...(version === undefined ? {} : { version }),
    enabled: plugin.enabled === true,
    format: 'marketplace-plugin',
    ...(source === undefined ? {} : { source }),
  };
}

function isNamed({ name }: Json): boolean {
  return word(name) !== undefined;
}

function idOf({ name, marketplace }: Json): string {
  const from = word(marketplace);
  return from === undefined ? (word(name) ?? '') : `${word(name) ?? ''}@${from}`;
}

function listIn(stdout: string): Json[] {
  const listed: unknown = JSON.parse(stdout);
  if (!Array.isArray(listed)) throw new Error('no list of plugins');
  return listed.filter(isRecord);
}

function assertOfUser({ global }: Pick<PluginInstallOptions, 'global'>): void {
  if (global === false) throw new CapabilityError('copilot', 'global', 'Copilot installs plugins for the user only');
}
