import { fileURLToPath } from 'node:url';
import { CapabilityError, type InstalledPlugin, type PluginSpec } from '@agent-mux/core';
import { parseRecord, records, texts, word } from '../shared/json.ts';
import { npmSearch } from '../shared/npm-search.ts';

/**
 * Plugins are JavaScript modules that the configuration names: npm packages, or files. The CLI installs them and has no
 * command to list or remove them; `debug config` prints the merged configuration. Seen with opencode 1.18.33.
 */
export function familyPlugins(agent: string): PluginSpec {
  return {
    formats: ['npm-package', 'extension'],
    registries: [{ name: 'npm', searchable: true }],
    list: {
      args: ['debug', 'config'],
      parse({ stdout }) {
        const config = parseRecord(stdout);
        if (!config) throw new Error('the configuration could not be read');
        const origins = records(config.plugin_origins);
        return specsOf(config.plugin).map((spec) =>
          pluginOf(spec, word(origins.find((origin) => origin.spec === spec)?.source)),
        );
      },
    },
    install(pluginId, { version, registry, global = true }) {
      if (registry !== undefined && registry !== 'npm') {
        throw new CapabilityError(agent, 'registry', `${agent} installs packages from npm only`);
      }
      return { args: ['plugin', version ? `${pluginId}@${version}` : pluginId, ...(global ? ['--global'] : [])] };
    },
    uninstall() {
      const hint = `remove it from "plugin" in its configuration`;
      throw new CapabilityError(agent, 'plugins', `${agent} has no command to remove a plugin`, hint);
    },
    search: (query, options) => npmSearch(agent, [agent], query, options),
  };
}

/** A plugin with options is a list of its name and the options. */
function specsOf(plugins: unknown): string[] {
  if (!Array.isArray(plugins)) return [];
  return plugins.flatMap((one: unknown) => (typeof one === 'string' ? one : texts(one).slice(0, 1)));
}

function pluginOf(spec: string, configuredIn: string | undefined): InstalledPlugin {
  const source = configuredIn ? { source: configuredIn } : {};
  if (spec.startsWith('file:')) return { id: pathOf(spec), enabled: true, format: 'extension', ...source };
  const at = spec.lastIndexOf('@');
  const named = at > 0 ? { id: spec.slice(0, at), version: spec.slice(at + 1) } : { id: spec };
  return { ...named, enabled: true, format: 'npm-package', ...source };
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}
