import { type AgentCommand, CapabilityError, type PluginInstallOptions } from '@agent-mux/core';

/**
 * `extensions` of Gemini CLI and its forks. Installing asks for consent on a terminal, which the user of a command has
 * given.
 */
export function installExtension(agent: string, source: string, options: ExtensionOptions): AgentCommand {
  const { version, registry, global = true, flags = [], projects = false, registries = false } = options;
  if (!global && !projects) throw new CapabilityError(agent, 'global', `extensions of ${agent} are for all projects`);
  if (registry !== undefined && !registries) {
    throw new CapabilityError(agent, 'registry', `${agent} installs extensions from repositories and folders only`);
  }
  const ref = version === undefined ? [] : [`--ref=${version}`];
  const from = registry === undefined ? [] : [`--registry=${registry}`];
  const scope = global ? [] : ['--scope=project'];
  return { args: ['extensions', 'install', '--consent', ...flags, ...scope, ...ref, ...from, source] };
}

export interface ExtensionOptions extends PluginInstallOptions {
  flags?: readonly string[];
  /** Whether an extension can be installed for a single project. */
  projects?: boolean;
  registries?: boolean;
}

export function uninstallExtension(name: string): AgentCommand {
  return { args: ['extensions', 'uninstall', name] };
}
