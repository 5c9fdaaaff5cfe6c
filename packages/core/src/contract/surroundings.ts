/** What lies around an agent on a machine: its login and its native configuration. */
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
  /** Who, where that is known without asking anybody. Never a secret. */
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
  /** The only values that the agent takes. */
  values?: readonly string[];
  /** Where it stands in the native file, as a dotted path; a key that has dots itself stands in quotes. */
  nativePath?: string;
  secret?: boolean;
}

export type ConfigFormat = 'json' | 'jsonc' | 'toml' | 'yaml';

export interface AgentConfigSchema {
  agent: string;
  fields: readonly ConfigField[];
  /**
   * As `expandPath` reads them; later ones win. A value is changed where it stands, and a new one goes into the first that
   * exists, else into the first.
   */
  configFilePaths: readonly string[];
  projectConfigFilePaths: readonly string[];
  /** Of the user: other names, which count less than all of these. Changed where they are there, never made anew. */
  oldConfigFilePaths?: readonly string[];
  /** Of all of these files. */
  format?: ConfigFormat;
  mcp?: McpConfigForm;
  /** Where the files name variables of the environment, which are then the agent's own. */
  env?: readonly ConfigEnv[];
}

/** A place in an agent's own configuration where it is told the name of a variable instead of a value. */
export interface ConfigEnv {
  /** As `expandPath` reads it; with `*` in its last part: all such files of the folder. Default: the files of the schema. */
  file?: string;
  /** Default: that of the schema. */
  format?: ConfigFormat;
  /** Dotted paths, `*` for any key or place of a list. Default: all texts of the file. */
  fields?: readonly string[];
  /** How a text refers to a variable: the first group that is filled is its name. Default: the text is the name. */
  reference?: RegExp;
  /** Who has set the variable is logged in. */
  login?: boolean;
  /** The text may be a key itself: it is a name only where such a variable is set, and is never shown. */
  orValue?: boolean;
}

/** Where and how an agent's own files name MCP servers. */
export interface McpConfigForm {
  /**
   * As `expandPath` reads them. Of several, a server is changed where it stands, and a new one goes into the first that exists,
   * else into the first.
   */
  globalFile?: string | readonly string[];
  projectFile?: string | readonly string[];
  /** Default: that of the schema. */
  format?: ConfigFormat;
  /** The path (as `nativePath`) of the object that holds the servers by name, or of a list whose entries have a `name`. */
  key: string;
  list?: boolean;
  /** The agent's own form. Throws CapabilityError on a server that it cannot use. */
  encode(server: McpServer, name: string): Record<string, unknown>;
  /** Null: not a server in a form that is known. */
  decode(entry: Record<string, unknown>): McpServer | null;
}

export interface AgentConfig {
  agent?: string;
  model?: string;
  /** The files that it was read from. */
  sources?: readonly string[];
  /** The native values, by the names of the schema. */
  values?: Record<string, unknown>;
}
