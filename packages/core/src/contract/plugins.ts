/** What is added to an agent: plugins, skills, sub-agents; and how the agent itself is asked about them. */

export const PLUGIN_FORMATS = [
  'npm-package',
  'skill-file',
  'skill-directory',
  'mcp-server',
  'extension',
  'extension-ts',
  'channel-plugin',
  'marketplace-plugin',
] as const;
export type PluginFormat = (typeof PLUGIN_FORMATS)[number];

export interface InstalledPlugin {
  id: string;
  version?: string;
  enabled: boolean;
  format: string;
  source?: string;
}
export interface PluginInstallOptions {
  version?: string;
  registry?: string;
  /** Default true; false: for the project in `cwd` alone. */
  global?: boolean;
}
export interface PluginSearchOptions {
  registry?: string;
  limit?: number;
  page?: number;
}
export interface PluginListing {
  id: string;
  version?: string;
  description?: string;
  registry?: string;
}

/** A command that is run for its effect. */
export interface AgentCommand {
  /** Default: the agent's own CLI. */
  command?: string;
  args: readonly string[];
  stdin?: string;
  env?: Readonly<Record<string, string>>;
}

export interface CommandOutput {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** A command that is run for what it prints. */
export interface AgentQuery<Answer> extends AgentCommand {
  /** Throws on what it does not know. */
  parse(output: CommandOutput): Answer;
}

export interface PluginRegistry {
  name: string;
  url?: string;
  searchable: boolean;
}

/** How the agent's own CLI is told to manage plugins. */
export interface PluginFacet {
  formats: readonly PluginFormat[];
  registries?: readonly PluginRegistry[];
  list: AgentQuery<InstalledPlugin[]>;
  /** Throws CapabilityError on an option that the CLI does not have. */
  install(pluginId: string, options: PluginInstallOptions): AgentCommand;
  uninstall(pluginId: string, options: Pick<PluginInstallOptions, 'global'>): AgentCommand;
  search?(query: string, options: PluginSearchOptions): AgentQuery<PluginListing[]>;
}

/** Folders, as `expandPath` reads them, from which the agent takes what people put there. */
export interface ExtensionFolders {
  /** A folder each, with a SKILL.md. */
  skills?: { global?: string; project?: string };
  /** A Markdown file each. */
  subagents?: { global?: string; project?: string };
}

export interface PluginPlace {
  /** The project; default the current folder. */
  cwd?: string;
  /** Each line that the agent's CLI prints meanwhile. */
  onLine?: (line: string) => void;
}

/** What can be done with the plugins of an agent. */
export interface PluginSupport {
  agent: string;
  formats: readonly PluginFormat[];
  registries: readonly PluginRegistry[];
  canInstall: boolean;
  canSearch: boolean;
}

/** The plugins of the agents, managed by each agent's own means. What was changed is read again before it is believed. */
export interface AgentPlugins {
  /** The agents whose plugins can be managed, and how. */
  supported(): PluginSupport[];
  /** As the agent lists them. Throws CAPABILITY_ERROR where it has none. */
  list(agent: string, place?: PluginPlace): Promise<InstalledPlugin[]>;
  /** Returns the plugin as the agent lists it afterwards. Throws AGENT_ERROR where it failed, or is not listed. */
  install(agent: string, pluginId: string, options?: PluginInstallOptions & PluginPlace): Promise<InstalledPlugin>;
  /** Throws AGENT_ERROR where it failed, or is still listed. */
  uninstall(
    agent: string,
    pluginId: string,
    options?: Pick<PluginInstallOptions, 'global'> & PluginPlace,
  ): Promise<void>;
  /** In the agent's registries. Throws CAPABILITY_ERROR where it cannot search. */
  search(agent: string, query: string, options?: PluginSearchOptions & PluginPlace): Promise<PluginListing[]>;
}
