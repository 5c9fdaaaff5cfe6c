import type { AgentConfigSchema, ConfigField, McpServer } from '@agent-mux/core';
import { BRACED } from '../shared/env-references.ts';
import type { Json } from '../shared/json.ts';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { CONFIG_HOME, STATE_FILE } from './home.ts';

/** Names and values as the schema in 2.1.325 has them. Another effort is passed over without a word, and so is `max`. */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Default model, an alias or a full name' },
  {
    name: 'effortLevel',
    type: 'string',
    description: 'Default effort',
    values: ['low', 'medium', 'high', 'xhigh'],
  },
  { name: 'alwaysThinkingEnabled', type: 'boolean', description: 'False: no thinking at all' },
  {
    name: 'permissionMode',
    type: 'string',
    description: 'Permission mode that sessions start in',
    values: ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions', 'manual'],
    nativePath: 'permissions.defaultMode',
  },
  { name: 'allowedTools', type: 'array', description: 'Tools that need no approval', nativePath: 'permissions.allow' },
  { name: 'deniedTools', type: 'array', description: 'Tools that are refused', nativePath: 'permissions.deny' },
  {
    name: 'additionalDirectories',
    type: 'array',
    description: 'Folders beside the project that tools may work in',
    nativePath: 'permissions.additionalDirectories',
  },
  { name: 'fallbackModel', type: 'array', description: 'Models that are tried when the first is overloaded' },
  { name: 'cleanupPeriodDays', type: 'number', description: 'Days that sessions are kept, 30 by default' },
  { name: 'env', type: 'object', description: 'Environment of every session', secret: true },
];

export const CONFIG_SCHEMA: Omit<AgentConfigSchema, 'agent'> = {
  fields: FIELDS,
  configFilePaths: [`${CONFIG_HOME}/settings.json`],
  projectConfigFilePaths: ['.claude/settings.json', '.claude/settings.local.json'],
  format: 'json',
  mcp: { globalFile: STATE_FILE, projectFile: '.mcp.json', key: 'mcpServers', encode, decode },
  env: [{ file: STATE_FILE, fields: ['mcpServers', 'projects.*.mcpServers'], reference: BRACED }],
};

/** Besides, there are types that only an editor can use. */
const TYPES: readonly unknown[] = [undefined, 'stdio', 'http', 'streamable-http', 'sse'];

function encode(server: McpServer): Json {
  return { type: 'stdio', ...commonMcpEntry(server) };
}

function decode(entry: Json): McpServer | null {
  return TYPES.includes(entry.type) ? readCommonMcpEntry(entry) : null;
}
