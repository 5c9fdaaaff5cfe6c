/** Extensions of an agent (plugins, skills, subagents) and queries about them. */

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
  /** Default true; false: only for the project in `cwd`. */
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

/** A command that is run for its output. */
export interface AgentQuery<Answer> extends AgentCommand {
  /** Throws if the output is not recognized. */
  parse(output: CommandOutput): Answer;
}

export interface PluginRegistry {
  name: string;
  url?: string;
  searchable: boolean;
}

/** How the agent's CLI manages plugins. */
export interface PluginSpec {
  formats: readonly PluginFormat[];
  registries?: readonly PluginRegistry[];
  list: AgentQuery<InstalledPlugin[]>;
  /** Throws CapabilityError for an option the CLI does not support. */
  install(pluginId: string, options: PluginInstallOptions): AgentCommand;
  uninstall(pluginId: string, options: Pick<PluginInstallOptions, 'global'>): AgentCommand;
  search?(query: string, options: PluginSearchOptions): AgentQuery<PluginListing[]>;
}

/** Folders in `expandPath` syntax from which the agent loads extensions. */
export interface ExtensionFolders {
  /** One folder per skill, with a SKILL.md. */
  skills?: { global?: string; project?: string };
  /** One Markdown file per subagent. */
  subagents?: { global?: string; project?: string };
}

export interface PluginCallOptions {
  /** The project; default the current folder. */
  cwd?: string;
  /** Called with each line the agent's CLI prints. */
  onLine?: (line: string) => void;
}

/** Plugin operations an agent supports. */
export interface PluginSupport {
  agent: string;
  formats: readonly PluginFormat[];
  registries: readonly PluginRegistry[];
  canInstall: boolean;
  canSearch: boolean;
}

/** Plugins of the agents, managed by each agent's own CLI. Every change is verified by listing the plugins again. */
export interface AgentPlugins {
  /** Lists the agents whose plugins can be managed, with details. */
  supported(): PluginSupport[];
  /** Lists plugins as the agent reports them. Throws CAPABILITY_ERROR if the agent does not support plugins. */
  list(agent: string, options?: PluginCallOptions): Promise<InstalledPlugin[]>;
  /**
   * Returns the plugin as the agent lists it afterwards. Throws AGENT_ERROR if the installation failed or the plugin is
   * not listed.
   */
  install(
    agent: string,
    pluginId: string,
    options?: PluginInstallOptions & PluginCallOptions,
  ): Promise<InstalledPlugin>;
  /** Throws AGENT_ERROR if the removal failed or the plugin is still listed. */
  uninstall(
    agent: string,
    pluginId: string,
    options?: Pick<PluginInstallOptions, 'global'> & PluginCallOptions,
  ): Promise<void>;
  /** Searches the agent's registries. Throws CAPABILITY_ERROR if the agent cannot search. */
  search(agent: string, query: string, options?: PluginSearchOptions & PluginCallOptions): Promise<PluginListing[]>;
}
