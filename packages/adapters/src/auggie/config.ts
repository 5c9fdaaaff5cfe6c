import type { AgentConfigSchema } from '@agent-mux/core';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';

const SETTINGS = '~/.augment/settings.json';
const PROJECT_SETTINGS = '.augment/settings.json';

export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'auggie',
  fields: [
    {
      name: 'toolPermissions',
      type: 'array',
      description: 'Rules for tools, first match wins: {toolName, permission: {type: allow|deny|ask-user}}',
    },
    { name: 'mcpServers', type: 'object', description: 'MCP servers by name', secret: true },
  ],
  configFilePaths: [SETTINGS],
  projectConfigFilePaths: [PROJECT_SETTINGS, '.augment/settings.local.json'],
  format: 'jsonc',
  mcp: {
    globalFile: SETTINGS,
    projectFile: PROJECT_SETTINGS,
    key: 'mcpServers',
    encode: commonMcpEntry,
    decode: readCommonMcpEntry,
  },
};
