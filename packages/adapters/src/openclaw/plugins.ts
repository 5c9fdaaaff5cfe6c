import {
  CapabilityError,
  type ExtensionFolders,
  type InstalledPlugin,
  type PluginInstallOptions,
  type PluginSpec,
} from '@agent-mux/core';
import { type Json, parseRecord, record, records, word } from '../shared/json.ts';
import { npmSearch } from '../shared/npm-search.ts';
import { OPENCLAW_HOME } from './home.ts';

const CLAWHUB = 'clawhub';
const NPM = 'npm';

/**
 * Plugins of the gateway. For a source other than ClawHub and the vendor's own catalog the CLI needs a confirmation:
 * without a terminal it refuses, and explains how to.
 */
export const PLUGINS: PluginSpec = {
  formats: ['channel-plugin', 'npm-package', 'marketplace-plugin'],
  registries: [
    { name: CLAWHUB, url: 'https://clawhub.ai', searchable: true },
    { name: NPM, searchable: true },
  ],
  list: { args: ['plugins', 'list', '--json'], parse: ({ stdout }) => installedIn(stdout) },
  install(pluginId, options) {
    assertOfUser(options);
    const { registry, version } = options;
    const id = version === undefined ? pluginId : `${pluginId}@${version}`;
    if (registry === undefined) return { args: ['plugins', 'install', id] };
    if (registry === CLAWHUB || registry === NPM) return { args: ['plugins', 'install', `${registry}:${id}`] };
    return { args: ['plugins', 'install', id, '--marketplace', registry] };
  },
  uninstall(pluginId, options) {
    assertOfUser(options);
    // Otherwise it asks.
    return { args: ['plugins', 'uninstall', pluginId, '--force'] };
  },
  search(query, { registry = CLAWHUB, limit, page = 1 }) {
    if (registry === NPM) return npmSearch('openclaw', ['openclaw'], query, { limit, page });
    if (registry !== CLAWHUB)
      throw new CapabilityError('openclaw', 'registry', `OpenClaw searches ClawHub or npm, not ${registry}`);
    const wanted = limit === undefined ? [] : ['--limit', String(limit * page)];
    return {
      args: ['plugins', 'search', query, ...wanted, '--json'],
      parse({ stdout }) {
        const found = records(documentIn(stdout).results).map((entry) => listing(record(entry.package)));
        return limit === undefined ? found : found.slice((page - 1) * limit, page * limit);
      },
    };
  },
};

/** Skills of a project are in the workspace of the agent. */
export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${OPENCLAW_HOME}/skills`, project: 'skills' },
};

/** Bundled plugins are not installed ones. */
function installedIn(stdout: string): InstalledPlugin[] {
  return records(documentIn(stdout).plugins)
    .filter(({ origin }) => origin !== 'bundled')
    .flatMap((plugin) => {
      const id = word(plugin.id);
      const [version, source] = [word(plugin.version), word(plugin.source)];
      if (!id) return [];
      const known = { ...(version ? { version } : {}), ...(source ? { source } : {}) };
      return [{ id, enabled: plugin.enabled === true, format: word(plugin.format) ?? 'openclaw', ...known }];
    });
}

function listing({ name, latestVersion, summary }: Json) {
  return { id: word(name) ?? '', version: word(latestVersion), description: word(summary), registry: CLAWHUB };
}

function documentIn(stdout: string): Json {
  const output = parseRecord(stdout);
  if (!output) throw new Error('no JSON about plugins');
  return output;
}

function assertOfUser({ global }: Pick<PluginInstallOptions, 'global'>): void {
  if (global === false)
    throw new CapabilityError('openclaw', 'global', 'OpenClaw installs plugins for the gateway only');
}
