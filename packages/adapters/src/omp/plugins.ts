import { CapabilityError, type InstalledPlugin, type PluginSpec } from '@agent-mux/core';
import { type Json, parseRecord, records, word } from '../shared/json.ts';
import { npmSearch } from '../shared/npm-search.ts';

/** npm packages, local folders, which are linked, and plugins of marketplaces as `name@marketplace`. */
export const PLUGINS: PluginSpec = {
  formats: ['npm-package', 'marketplace-plugin'],
  registries: [{ name: 'npm', searchable: true }],
  list: {
    args: ['plugin', 'list', '--json'],
    parse({ stdout }) {
      const listed = parseRecord(stdout);
      if (!listed) throw new Error('the plugins could not be listed');
      return [
        ...records(listed.npm).flatMap((one) => pluginOf(one, 'npm-package')),
        ...records(listed.marketplace).flatMap((one) => pluginOf(one, 'marketplace-plugin')),
      ];
    },
  },
  install(pluginId, { version, registry, global = true }) {
    if (registry !== undefined && registry !== 'npm') {
      throw new CapabilityError('omp', 'registry', 'omp installs npm packages and plugins as name@marketplace');
    }
    // 18.2.3 ignores the scope of anything but a marketplace plugin, with a warning.
    if (!global) throw new CapabilityError('omp', 'global', 'omp installs plugins for all projects');
    return { args: ['plugin', 'install', version ? `${pluginId}@${version}` : pluginId] };
  },
  uninstall(pluginId, { global = true }) {
    if (!global) throw new CapabilityError('omp', 'global', 'omp installs plugins for all projects');
    return { args: ['plugin', 'uninstall', pluginId] };
  },
  search: (query, options) => npmSearch('omp', ['oh-my-pi'], query, options),
};

function pluginOf(one: Json, format: 'npm-package' | 'marketplace-plugin'): InstalledPlugin[] {
  const id = word(one.name) ?? word(one.id);
  const version = word(one.version);
  const source = word(one.path);
  if (!id) return [];
  return [
    {
      id,
      ...(version ? { version } : {}),
      enabled: one.enabled !== false,
      format,
      ...(source ? { source } : {}),
    },
  ];
}
