/** Reading and editing the agents' native configuration files. */

import type { AgentConfigSchema } from './auth-and-config.ts';
import type { McpServer } from './options.ts';

/** The user's files, or those of a project. */
export type ConfigScope = 'global' | 'project';

export interface ConfigTarget {
  /** Default for reads: both, the project's over the user's. Default for writes: `global`. */
  scope?: ConfigScope;
  /** The project; default the working directory. */
  cwd?: string;
}

export interface ConfigQuery extends ConfigTarget {
  /** Limits the result to these. */
  names?: readonly string[];
  /** Names are dotted paths in the native files (`a."b.c".d`), not schema fields. */
  native?: boolean;
  /** By default secrets are replaced with `SECRET_MASK`. */
  showSecrets?: boolean;
}

export interface ConfigWrite extends ConfigTarget {
  native?: boolean;
  /** Checks everything and writes nothing. */
  dryRun?: boolean;
}

export interface ConfigValues {
  agent: string;
  /** The files that were read. */
  files: readonly string[];
  /** Values by schema name, or by native path. Without `names` and with `native`: everything in the files. */
  values: Readonly<Record<string, unknown>>;
  /** The source file of each value. */
  sources: Readonly<Record<string, string>>;
}

/** One changed file, or one that would change in a dry run. */
export interface ConfigFileChange {
  /** Path with all links resolved. */
  file: string;
  names: readonly string[];
  /** False: the file already had these values. */
  changed: boolean;
  created: boolean;
  /** Path of the backup, if this was the first change to the file. */
  backup?: string;
}

export interface ConfigChangeResult {
  agent: string;
  scope: ConfigScope;
  files: readonly ConfigFileChange[];
  /** Values that have no effect here because a file with higher precedence overrides them. */
  overruled: readonly { name: string; file: string }[];
}

export interface ConfigFile {
  path: string;
  scope: ConfigScope;
  exists: boolean;
  /** New values of this scope are written to this file. */
  written: boolean;
}

/** A problem in a native file: the agent will not interpret it as intended. */
export interface ConfigFinding {
  agent: string;
  file: string;
  scope: ConfigScope;
  line?: number;
  column?: number;
  /** Schema field; absent: the file as a whole. */
  field?: string;
  problem: string;
}

export interface AgentConfigs {
  /** The known fields. Throws CapabilityError for an agent whose configuration files are unknown. */
  schema(agent: string): AgentConfigSchema;
  /** The agent's files in order of precedence, existing or not. */
  files(agent: string, where?: ConfigTarget): Promise<ConfigFile[]>;
  /** The effective values and their source files. */
  get(agent: string, query?: ConfigQuery): Promise<ConfigValues>;
  /**
   * Edits the files in place and preserves comments. Sets all values or none. Throws ValidationError for names and
   * values that are not in the schema.
   */
  set(agent: string, values: Readonly<Record<string, unknown>>, write?: ConfigWrite): Promise<ConfigChangeResult>;
  /** Removes the values from every file of the scope. */
  unset(agent: string, names: readonly string[], write?: ConfigWrite): Promise<ConfigChangeResult>;
  /** Lists problems in the files. Empty: no problems, or no file. */
  validate(agent: string, where?: ConfigTarget): Promise<ConfigFinding[]>;
}

export interface McpQuery extends ConfigTarget {
  /** Default: every agent whose format is known. */
  agents?: readonly string[];
  showSecrets?: boolean;
}

export interface McpEntry {
  agent: string;
  scope: ConfigScope;
  file: string;
  name: string;
  /** Null: the format of the entry is unknown. */
  server: McpServer | null;
}

export interface McpList {
  servers: readonly McpEntry[];
  /** Files that could not be read; the others were. */
  problems: readonly { agent: string; scope: ConfigScope; file: string; problem: string }[];
}

export interface McpWrite extends ConfigTarget {
  agents: readonly string[];
  dryRun?: boolean;
}

export interface McpAdd extends McpWrite {
  /** Replaces a different server of this name. */
  force?: boolean;
}

export interface McpChange {
  agent: string;
  scope: ConfigScope;
  file: string;
  /** `failed` only during writing: all other errors are thrown before anything is written. */
  done: 'added' | 'replaced' | 'unchanged' | 'removed' | 'absent' | 'failed';
  backup?: string;
  problem?: string;
}

export interface AgentMcpServers {
  /** Lists every server of every agent. */
  list(query?: McpQuery): Promise<McpList>;
  /** Names of the agents whose format is known, for a scope. */
  agents(scope?: ConfigScope): string[];
  /** Adds a server to the files of several agents, each in its own format. All are validated before the first write. */
  add(name: string, server: McpServer, options: McpAdd): Promise<McpChange[]>;
  /** Removes a server from them. */
  remove(name: string, options: McpWrite): Promise<McpChange[]>;
}
