import type { AgentConfigSchema, ConfigField, McpServer } from '@agent-mux/core';
import { BRACED } from '../shared/env-references.ts';
import type { Json } from '../shared/json.ts';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { CONFIG_HOME, STATE_FILE } from './home.ts';

/** Names and values as in the schema of 2.1.325. It silently ignores any other effort, including `max`. */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Default model, an alias or a full name' },
  {
    name: 'effortLevel',
    type: 'string',
    description: 'Default effort',
    values: ['low', 'medium', 'high', 'xhigh'],
  },
  { name: 'alwaysThinkingEnabled', type: 'boolean', description: 'Set to false to disable thinking' },
  {
    name: 'permissionMode',
    type: 'string',
    description: 'Permission mode of new sessions',
    values: ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions', 'manual'],
    nativePath: 'permissions.defaultMode',
  },
  { name: 'allowedTools', type: 'array', description: 'Tools that need no approval', nativePath: 'permissions.allow' },
  { name: 'deniedTools', type: 'array', description: 'Tools that are refused', nativePath: 'permissions.deny' },
  {
    name: 'additionalDirectories',
    type: 'array',
    description: 'Additional folders that tools may work in',
    nativePath: 'permissions.additionalDirectories',
  },
  { name: 'fallbackModel', type: 'array', description: 'Models to try when the first is overloaded' },
  { name: 'cleanupPeriodDays', type: 'number', description: 'Days to keep sessions, 30 by default' },
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

/** Further types exist that only an editor can use. */
const TYPES: readonly unknown[] = [undefined, 'stdio', 'http', 'streamable-http', 'sse'];

function encode(server: McpServer): Json {
  return { type: 'stdio', ...commonMcpEntry(server) };
}

function decode(entry: Json): McpServer | null {
  return TYPES.includes(entry.type) ? readCommonMcpEntry(entry) : null;
}
