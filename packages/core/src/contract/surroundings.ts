/** What lies around an agent on a machine: its login, its native configuration, its stored sessions. */
import type { TokenUsage } from './events.ts';

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
  /** Where it stands in the native file, as a dotted path. */
  nativePath?: string;
  secret?: boolean;
}

export interface AgentConfigSchema {
  agent: string;
  fields: readonly ConfigField[];
  configFilePaths: readonly string[];
  projectConfigFilePaths: readonly string[];
  format?: 'json' | 'jsonc' | 'toml' | 'yaml';
}

export interface AgentConfig {
  agent?: string;
  model?: string;
  /** The files that it was read from. */
  sources?: readonly string[];
  /** The native values, by the names of the schema. */
  values?: Record<string, unknown>;
}

export interface SessionMessage {
  role: 'user' | 'assistant' | 'tool' | 'system';
  text: string;
  timestamp?: number;
  toolCallId?: string;
  toolName?: string;
  raw?: unknown;
}

export interface Session {
  agent: string;
  sessionId: string;
  title?: string;
  cwd?: string;
  model?: string;
  createdAt?: number;
  updatedAt?: number;
  parentSessionId?: string;
  messages: readonly SessionMessage[];
  usage?: TokenUsage;
  costUsd?: number | null;
}
