import { CapabilityError, type ExtensionFolders, type InstalledPlugin, type PluginSpec } from '@agent-mux/core';
import { type Json, records, word } from '../shared/json.ts';
import { GROK_HOME } from './home.ts';

/** `grok plugin`, as in 1.0.41: from a git URL, `user/repo` or a folder. */
export const PLUGINS: PluginSpec = {
  formats: ['marketplace-plugin', 'skill-directory', 'mcp-server'],
  list: { args: ['plugin', 'list', '--json'], parse: ({ stdout }) => readList(JSON.parse(stdout)) },
  install(pluginId, { version, registry, global = true }) {
    if (!global) throw cannot('global', 'installs plugins for the user only');
    if (registry !== undefined) throw cannot('registry', 'installs plugins by address, not from a registry');
    // Without it, it only prints what it would do.
    return { args: ['plugin', 'install', '--trust', version === undefined ? pluginId : `${pluginId}@${version}`] };
  },
  uninstall(pluginId, { global = true }) {
    if (!global) throw cannot('global', 'installs plugins for the user only');
    return { args: ['plugin', 'uninstall', '--confirm', pluginId] };
  },
};

/** Those of a project apply once its folder is trusted. */
export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${GROK_HOME}/skills`, project: '.grok/skills' },
  subagents: { global: `${GROK_HOME}/agents`, project: '.grok/agents' },
};

function cannot(option: string, what: string): CapabilityError {
  return new CapabilityError('grok', option, `Grok Build ${what}`);
}

function readList(list: unknown): InstalledPlugin[] {
  if (!Array.isArray(list)) throw new Error('not a list of plugins');
  return records(list)
    .filter(({ status }) => status === 'installed')
    .map(readInstalled);
}

/** The list does not show whether a plugin was disabled. */
function readInstalled({ name, version, marketplace, source }: Json): InstalledPlugin {
  return {
    id: word(name) ?? '',
    version: word(version),
    enabled: true,
    format: 'marketplace-plugin',
    source: word(marketplace) ?? word(source),
  };
}
