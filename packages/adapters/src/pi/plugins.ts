import { CapabilityError, type InstalledPlugin, type PluginSpec } from '@agent-mux/core';
import { npmSearch } from '../shared/npm-search.ts';

/** npm packages, git repositories and local folders. For a project only if the user has trusted it. */
export const PLUGINS: PluginSpec = {
  formats: ['npm-package', 'extension-ts'],
  registries: [{ name: 'npm', searchable: true }],
  list: {
    args: ['list'],
    parse({ stdout, exitCode }) {
      if (exitCode !== 0 || !/^(User packages|Project packages|No packages)/m.test(stdout)) {
        throw new Error('the packages could not be listed');
      }
      return packagesIn(stdout.split('\n'));
    },
  },
  install(pluginId, { version, registry, global = true }) {
    if (registry !== undefined && registry !== 'npm') {
      throw new CapabilityError('pi', 'registry', 'pi installs packages from npm, git and local folders');
    }
    const source = sourceOf(pluginId);
    return { args: ['install', version ? `${source}@${version}` : source, ...(global ? [] : ['--local'])] };
  },
  uninstall(pluginId, { global = true }) {
    return { args: ['remove', sourceOf(pluginId), ...(global ? [] : ['--local'])] };
  },
  // The keyword that its documentation asks packages to have.
  search: (query, options) => npmSearch('pi', ['keywords:pi-package'], query, options),
};

/** A bare name means npm; the CLI needs the prefix. */
function sourceOf(pluginId: string): string {
  return /^(npm:|git:|ssh:|https?:|[./~\\]|[A-Za-z]:[/\\])/.test(pluginId) ? pluginId : `npm:${pluginId}`;
}

/** A source from the settings, and its location, indented below it. */
function packagesIn(lines: readonly string[]): InstalledPlugin[] {
  return lines.flatMap((line, index) => {
    const source = /^ {2}(\S.*)$/.exec(line)?.[1]?.replace(/ \(filtered\)$/, '');
    const path = /^ {4}(\S.*)$/.exec(lines[index + 1] ?? '')?.[1];
    return source === undefined ? [] : [pluginOf(source, path)];
  });
}

function pluginOf(source: string, path: string | undefined): InstalledPlugin {
  const npm = /^npm:(@?[^@]+)(?:@(.+))?$/.exec(source);
  const [, name, version] = npm ?? [];
  if (name) return { id: name, ...(version ? { version } : {}), enabled: true, format: 'npm-package', source };
  // Local ones are relative to the settings: only their location identifies them.
  const isRemote = /^(git:|ssh:|https?:)/.test(source);
  return { id: isRemote ? source : (path ?? source), enabled: true, format: 'extension-ts', source };
}
