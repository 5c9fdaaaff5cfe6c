import type { AgentConfigSchema, ConfigField, McpServer } from '@agent-mux/core';
import { BRACED } from '../shared/env-references.ts';
import type { Json } from '../shared/json.ts';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { GROK_HOME } from './home.ts';

const CONFIG_FILE = `${GROK_HOME}/config.toml`;
const PROJECT_FILE = '.grok/config.toml';

/** Only `permission`, `mcp_servers` and `plugins` of a project's file are read (according to its guide). */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Model of new sessions', nativePath: 'models.default' },
  {
    name: 'reasoningEffort',
    type: 'string',
    description: 'Default effort, if the default model supports it',
    nativePath: 'models.default_reasoning_effort',
  },
  {
    name: 'permissionMode',
    type: 'string',
    description: 'What tools may do without asking',
    values: ['default', 'ask', 'auto', 'always-approve'],
    nativePath: 'ui.permission_mode',
  },
  { name: 'allow', type: 'array', description: 'Rules for allowed tools', nativePath: 'permission.allow' },
  { name: 'ask', type: 'array', description: 'Rules for tools that ask', nativePath: 'permission.ask' },
  {
    name: 'deny',
    type: 'array',
    description: 'Rules for denied tools, which win over all others',
    nativePath: 'permission.deny',
  },
  {
    name: 'autoCompactPercent',
    type: 'number',
    description: 'Share of the context window at which the conversation is summarized, from 0 to 100',
    nativePath: 'session.auto_compact_threshold_percent',
  },
  { name: 'sandbox', type: 'string', description: 'Profile of the file sandbox', nativePath: 'sandbox.profile' },
  { name: 'autoUpdate', type: 'boolean', description: 'Look for updates on launch', nativePath: 'cli.auto_update' },
  {
    name: 'models',
    type: 'object',
    description: 'Custom models, with their keys',
    nativePath: 'model',
    secret: true,
  },
];

export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'grok',
  fields: FIELDS,
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: [PROJECT_FILE],
  format: 'toml',
  mcp: { globalFile: CONFIG_FILE, projectFile: PROJECT_FILE, key: 'mcp_servers', encode, decode: readCommonMcpEntry },
  env: [
    // One name, or several of which the first that is set counts.
    { fields: ['model.*.env_key', 'model.*.env_key.*', 'model.*.env_http_headers.*'], login: true },
    { fields: ['mcp_servers.*.bearer_token_env_var', 'mcp_servers.*.env_http_headers.*'] },
    { fields: ['mcp_servers'], reference: BRACED },
  ],
};

/** HTTP is the default type of an address. */
function encode(server: McpServer): Json {
  const { type, ...entry } = commonMcpEntry(server);
  return type === 'sse' ? { ...entry, type } : entry;
}
