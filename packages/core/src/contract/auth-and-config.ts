/** An agent's login and native configuration on a machine. */
import type { McpServer } from './options.ts';

export type AuthMethodType =
  | 'api_key'
  | 'browser_login'
  | 'oauth'
  | 'oauth_device'
  | 'github_token'
  | 'config_file'
  | 'none';

export interface AuthState {
  status: 'authenticated' | 'unauthenticated' | 'expired' | 'unknown';
  method?: AuthMethodType;
  /** Logged-in user, if known without a network request. Never a secret. */
  identity?: string;
  expiresAt?: number;
  details?: string;
}

export interface AuthMethod {
  type: AuthMethodType;
  name: string;
  envVars?: readonly string[];
  command?: string;
}

export interface AuthSetupGuidance {
  agent: string;
  steps: readonly string[];
  methods: readonly AuthMethod[];
  docsUrl?: string;
}

export interface ConfigField {
  name: string;
  type: 'string' | 'number' | 'boolean' | 'array' | 'object';
  description: string;
  /** The only values the agent accepts. */
  values?: readonly string[];
  /** Dotted path in the native file; a key that contains dots is quoted. */
  nativePath?: string;
  secret?: boolean;
}

export type ConfigFormat = 'json' | 'jsonc' | 'toml' | 'yaml';

export interface AgentConfigSchema {
  agent: string;
  fields: readonly ConfigField[];
  /**
   * Paths in `expandPath` syntax; later files take precedence. A value is changed in the file that has it; a new one
   * goes into the first existing file, or else into the first.
   */
  configFilePaths: readonly string[];
  projectConfigFilePaths: readonly string[];
  /** Legacy user files with lower precedence than all others. Updated if they exist, never created. */
  oldConfigFilePaths?: readonly string[];
  /** Format of all these files. */
  format?: ConfigFormat;
  mcp?: McpConfigFormat;
  /** Places where the files reference environment variables; these belong to the agent's allow list. */
  env?: readonly ConfigEnv[];
}

/** A setting in an agent's native configuration that holds the name of an environment variable instead of a value. */
export interface ConfigEnv {
  /** Path in `expandPath` syntax; `*` in its last segment matches all such files. Default: the files of the schema. */
  file?: string;
  /** Default: the format of the schema. */
  format?: ConfigFormat;
  /** Dotted paths, with `*` for any key or list index. Default: all strings in the file. */
  fields?: readonly string[];
  /** How a string references a variable: the first matching group is its name. Default: the string is the name. */
  reference?: RegExp;
  /** A user who has set the variable is logged in. */
  login?: boolean;
  /**
   * The string may be a key itself: it is a variable name only if such a variable is set, and it is never displayed.
   */
  orValue?: boolean;
}

/** Where and how an agent's native files list MCP servers. */
export interface McpConfigFormat {
  /**
   * Paths in `expandPath` syntax. With several files, a server is changed in the file that has it; a new one goes into
   * the first existing file, or else into the first.
   */
  globalFile?: string | readonly string[];
  projectFile?: string | readonly string[];
  /** Default: the format of the schema. */
  format?: ConfigFormat;
  /**
   * Path (like `nativePath`) of the object that holds the servers by name, or of a list whose entries have a `name`.
   */
  key: string;
  list?: boolean;
  /** Converts to the agent's native form. Throws CapabilityError if the agent cannot use the server. */
  encode(server: McpServer, name: string): Record<string, unknown>;
  /** Null: the entry is not a server in a known form. */
  decode(entry: Record<string, unknown>): McpServer | null;
}

export interface AgentConfig {
  agent?: string;
  model?: string;
  /** Files the values were read from. */
  sources?: readonly string[];
  /** Native values, by schema field name. */
  values?: Record<string, unknown>;
}
