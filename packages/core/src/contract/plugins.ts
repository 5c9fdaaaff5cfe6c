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
