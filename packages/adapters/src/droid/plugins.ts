import { CapabilityError, type ExtensionFolders, type InstalledPlugin, type PluginSpec } from '@agent-mux/core';
import { FACTORY_HOME } from './home.ts';

/** `  plug@marketplace  [user]  1.0.0  not enabled`, below a line `Active:` or `Inactive:`. */
const LISTED = /^ {2}(?<id>\S+) {2}\[(?<scope>\w+)\](?: {2}(?<version>\S+))?/;

/**
 * `droid plugin`, as in 0.215. A plugin is named with its marketplace, which must be added first: `name@marketplace`.
 */
export const PLUGINS: PluginSpec = {
  formats: ['marketplace-plugin'],
  registries: [{ name: 'added marketplaces', searchable: false }],
  list: { args: ['plugin', 'list'], parse: ({ stdout }) => readList(stdout) },
  install(pluginId, { version, registry, global = true }) {
    if (version !== undefined)
      throw new CapabilityError('droid', 'version', 'a marketplace of Droid offers one version of a plugin only');
    const id = registry === undefined ? pluginId : `${pluginId}@${registry}`;
    return { args: ['plugin', 'install', ...scope(global), id] };
  },
  uninstall: (pluginId, { global = true }) => ({ args: ['plugin', 'uninstall', ...scope(global), pluginId] }),
};

export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${FACTORY_HOME}/skills`, project: '.factory/skills' },
  subagents: { global: `${FACTORY_HOME}/droids`, project: '.factory/droids' },
};

function scope(global: boolean): string[] {
  return ['--scope', global ? 'user' : 'project'];
}

function readList(stdout: string): InstalledPlugin[] {
  if (/^No plugins installed/m.test(stdout)) return [];
  const lines = stdout.split('\n');
  if (!lines.some((line) => line.startsWith('Installed plugins:'))) throw new Error('not a list of plugins');
  const plugins: InstalledPlugin[] = [];
  let enabled = true;
  for (const line of lines) {
    if (/^(Active|Inactive):/.test(line)) enabled = line.startsWith('Active');
    const { id, scope: source, version } = LISTED.exec(line)?.groups ?? {};
    if (id !== undefined) plugins.push({ id, version, enabled, format: 'marketplace-plugin', source });
  }
  return plugins;
}
