/** What can be asked about the agents' own configuration files, and changed in them. */
import type { McpServer } from './options.ts';
import type { AgentConfigSchema } from './surroundings.ts';

/** The user's own files, or those of a project. */
export type ConfigScope = 'global' | 'project';

export interface ConfigWhere {
  /** Default when reading: both, the project's over the user's. Default when writing: `global`. */
  scope?: ConfigScope;
  /** The project; default the working folder. */
  cwd?: string;
}

export interface ConfigQuery extends ConfigWhere {
  /** Only these. */
  names?: readonly string[];
  /** Names are dotted paths of the native files (`a."b.c".d`), and not fields of the schema. */
  native?: boolean;
  /** Without it secrets are masked by `SECRET_MASK`. */
  showSecrets?: boolean;
}

export interface ConfigWrite extends ConfigWhere {
  native?: boolean;
  /** Everything is checked and nothing is written. */
  dryRun?: boolean;
}

export interface ConfigReading {
  agent: string;
  /** The files that were read. */
  files: readonly string[];
  /** By the names of the schema, or by native paths. Without `names` and with `native`: all that the files say. */
  values: Readonly<Record<string, unknown>>;
  /** The file that each value comes from. */
  sources: Readonly<Record<string, string>>;
}

/** One file that was changed, or would be in a dry run. */
export interface ConfigFileChange {
  /** The end of all links. */
  file: string;
  names: readonly string[];
  /** False: it said so already. */
  changed: boolean;
  created: boolean;
  /** Where the file as it was before lies, if this was the first change of it. */
  backup?: string;
}

export interface ConfigChangeResult {
  agent: string;
  scope: ConfigScope;
  files: readonly ConfigFileChange[];
  /** What was set and does not count here, because a file that comes later says otherwise. */
  overruled: readonly { name: string; file: string }[];
}

export interface ConfigFile {
  path: string;
  scope: ConfigScope;
  exists: boolean;
  /** What is new in this scope is written into this one. */
  written: boolean;
}

/** Something in a native file that the agent will not take as it is meant. */
export interface ConfigFinding {
  agent: string;
  file: string;
  scope: ConfigScope;
  line?: number;
  column?: number;
  /** Of the schema; absent: the file as a whole. */
  field?: string;
  problem: string;
}

export interface AgentConfigs {
  /** The fields that are known. Throws CapabilityError for an agent whose configuration files are not known. */
  schema(agent: string): AgentConfigSchema;
  /** Its files, in the order in which they count, there or not. */
  files(agent: string, where?: ConfigWhere): Promise<ConfigFile[]>;
  /** What counts, and from which file. */
  get(agent: string, query?: ConfigQuery): Promise<ConfigReading>;
  /** Edits the text of the files: comments and all else stay. All of the values or none. Throws ValidationError on names and values that the schema does not have. */
  set(agent: string, values: Readonly<Record<string, unknown>>, write?: ConfigWrite): Promise<ConfigChangeResult>;
  /** Takes them out of every file of the scope. */
  unset(agent: string, names: readonly string[], write?: ConfigWrite): Promise<ConfigChangeResult>;
  /** What the agent will not take as it is meant. Empty: nothing is wrong, or there is no file. */
  validate(agent: string, where?: ConfigWhere): Promise<ConfigFinding[]>;
}

export interface McpQuery extends ConfigWhere {
  /** Default: every agent whose form is known. */
  agents?: readonly string[];
  showSecrets?: boolean;
}

export interface McpEntry {
  agent: string;
  scope: ConfigScope;
  file: string;
  name: string;
  /** Null: in a form that is not known. */
  server: McpServer | null;
}

export interface McpList {
  servers: readonly McpEntry[];
  /** Files that could not be read; the others were. */
  problems: readonly { agent: string; scope: ConfigScope; file: string; problem: string }[];
}

export interface McpWrite extends ConfigWhere {
  agents: readonly string[];
  dryRun?: boolean;
}

export interface McpAdd extends McpWrite {
  /** Takes the place of another server of this name. */
  force?: boolean;
}

export interface McpChange {
  agent: string;
  scope: ConfigScope;
  file: string;
  /** `failed` only while writing: what could be told before has been thrown, and nothing was written. */
  done: 'added' | 'replaced' | 'unchanged' | 'removed' | 'absent' | 'failed';
  backup?: string;
  problem?: string;
}

export interface AgentMcpServers {
  /** Every server of every agent. */
  list(query?: McpQuery): Promise<McpList>;
  /** The names of the agents whose form is known, for a scope. */
  agents(scope?: ConfigScope): string[];
  /** Into the files of several agents, each in its own form. All are checked before the first is written. */
  add(name: string, server: McpServer, options: McpAdd): Promise<McpChange[]>;
  /** Out of them again. */
  remove(name: string, options: McpWrite): Promise<McpChange[]>;
}
