import type { AgentConfigSchema, McpConfigFormat } from '@agent-mux/core';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { COPILOT_HOME } from './home.ts';

/**
 * If there is an `.mcp.json`, `.github/mcp.json` is not read (1.0.102). Claude Code reads the former too: hence the
 * format without `type` and `tools`, which Copilot writes but does not need. It applies if the folder is trusted or
 * COPILOT_ALLOW_ALL is set.
 */
const MCP: McpConfigFormat = {
  globalFile: `${COPILOT_HOME}/mcp-config.json`,
  projectFile: '.mcp.json',
  key: 'mcpServers',
  encode: commonMcpEntry,
  decode: readCommonMcpEntry,
};

/** `values` are those that `copilot config` of 1.0.102 lists when it refuses another. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'copilot',
  fields: [
    { name: 'model', type: 'string', description: 'Default model, except for custom providers (COPILOT_MODEL)' },
    { name: 'effortLevel', type: 'string', description: 'Default effort' },
    {
      name: 'contextTier',
      type: 'string',
      description: 'Size of the context window, if it is priced separately',
      values: ['default', 'long_context'],
    },
    {
      name: 'defaultMode',
      type: 'string',
      description: 'Mode of new terminal sessions',
      values: ['interactive', 'plan', 'autopilot'],
    },
    {
      name: 'defaultPermissionMode',
      type: 'string',
      description: 'What new terminal sessions may do without asking',
      values: ['manual', 'assisted', 'allow-all'],
    },
    { name: 'allowedUrls', type: 'array', description: 'Addresses that may be fetched without asking' },
    { name: 'deniedUrls', type: 'array', description: 'Addresses that are never fetched' },
    { name: 'autoUpdate', type: 'boolean', description: 'Download updates automatically' },
    { name: 'memory', type: 'boolean', description: 'Remember facts across sessions' },
    { name: 'disableAllHooks', type: 'boolean', description: 'Disable all hooks' },
  ],
  configFilePaths: [`${COPILOT_HOME}/settings.json`],
  projectConfigFilePaths: ['.github/copilot/settings.json', '.github/copilot/settings.local.json'],
  format: 'jsonc',
  mcp: MCP,
};
