import type { AgentConfigSchema, McpConfigForm } from '@agent-mux/core';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { COPILOT_HOME } from './home.ts';

/**
 * Where there is an `.mcp.json`, `.github/mcp.json` is not read (1.0.102). The former is Claude's too: hence the form without
 * the `type` and `tools` that Copilot itself writes, and does without. It counts where the folder is trusted, or
 * COPILOT_ALLOW_ALL is set.
 */
const MCP: McpConfigForm = {
  globalFile: `${COPILOT_HOME}/mcp-config.json`,
  projectFile: '.mcp.json',
  key: 'mcpServers',
  encode: commonMcpEntry,
  decode: readCommonMcpEntry,
};

/** `values` are those that `copilot config` of 1.0.102 names when it refuses another. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'copilot',
  fields: [
    { name: 'model', type: 'string', description: 'Default model, but for a provider of your own (COPILOT_MODEL)' },
    { name: 'effortLevel', type: 'string', description: 'Default effort' },
    {
      name: 'contextTier',
      type: 'string',
      description: 'Size of the context window, where it has its price',
      values: ['default', 'long_context'],
    },
    {
      name: 'defaultMode',
      type: 'string',
      description: 'Mode of new sessions on a terminal',
      values: ['interactive', 'plan', 'autopilot'],
    },
    {
      name: 'defaultPermissionMode',
      type: 'string',
      description: 'What new sessions on a terminal may do without asking',
      values: ['manual', 'assisted', 'allow-all'],
    },
    { name: 'allowedUrls', type: 'array', description: 'Addresses that may be fetched without asking' },
    { name: 'deniedUrls', type: 'array', description: 'Addresses that are never fetched' },
    { name: 'autoUpdate', type: 'boolean', description: 'Whether newer versions are downloaded' },
    { name: 'memory', type: 'boolean', description: 'Whether facts are remembered across sessions' },
    { name: 'disableAllHooks', type: 'boolean', description: 'Whether hooks are left out' },
  ],
  configFilePaths: [`${COPILOT_HOME}/settings.json`],
  projectConfigFilePaths: ['.github/copilot/settings.json', '.github/copilot/settings.local.json'],
  format: 'jsonc',
  mcp: MCP,
};
