import type { ExtensionFolders, InstalledPlugin, PluginSpec } from '@agent-mux/core';
import { installExtension, uninstallExtension } from '../shared/agent-extensions.ts';
import { npmSearch } from '../shared/npm-search.ts';
import { CONFIG_HOME } from './home.ts';

export const PLUGINS: PluginSpec = {
  formats: ['extension', 'npm-package', 'marketplace-plugin', 'skill-directory', 'mcp-server'],
  registries: [{ name: 'npm', searchable: true }],
  list: { args: ['extensions', 'list'], parse: ({ stdout }) => listIn(stdout) },
  install: (source, options) => installExtension('qwen', source, { ...options, projects: true, registries: true }),
  uninstall: uninstallExtension,
  search: (query, options) => npmSearch('qwen', ['qwen-code', 'extension'], query, options),
};

/** Subagents whose instructions are shorter than ten characters are ignored (0.24.4). */
export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CONFIG_HOME}/skills`, project: '.qwen/skills' },
  subagents: { global: `${CONFIG_HOME}/agents`, project: '.qwen/agents' },
};

/** `✓ name (1.2.3)`, with details indented below it. 0.24.4 has no other format. */
function listIn(stdout: string): InstalledPlugin[] {
  const found: InstalledPlugin[] = [];
  for (const line of stdout.split('\n')) {
    const [, mark, id, version] = /^([✓✗]) (.+) \(([^()]*)\)\s*$/.exec(line) ?? [];
    const [, source] = /^\s+Source: (.+?)(?: \(Type: \w+\))?\s*$/.exec(line) ?? [];
    const last = found.at(-1);
    if (id) found.push({ id, ...(version ? { version } : {}), enabled: mark === '✓', format: 'extension' });
    else if (source && last) found[found.length - 1] = { ...last, source };
  }
  if (found.length === 0 && !stdout.includes('No extensions installed')) throw new Error('no list of extensions');
  return found;
}
