import type { AgentConfigSchema, McpConfigFormat } from '@agent-mux/core';
import { isRecord } from '../shared/json.ts';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { CLINE_DATA } from './home.ts';

const HTTP = 'streamableHttp';

/** As `cline mcp install` writes it; the format of Cline in editors, without `transport`, is read too. */
const MCP: McpConfigFormat = {
  globalFile: `${CLINE_DATA}/settings/cline_mcp_settings.json`,
  key: 'mcpServers',
  encode(server) {
    const type = 'url' in server ? (server.type === 'sse' ? 'sse' : HTTP) : 'stdio';
    return { transport: { ...commonMcpEntry(server), type } };
  },
  decode: (entry) => readCommonMcpEntry(isRecord(entry.transport) ? entry.transport : entry),
};

/** From its schema of 3.0.65. The model is not here: providers.json stores the last one used for each provider. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'cline',
  fields: [
    { name: 'planActMode', type: 'string', description: 'Mode of new runs', values: ['plan', 'act'] },
    { name: 'toolAutoApprove', type: 'boolean', description: 'Run tools without asking' },
    { name: 'disabledTools', type: 'array', description: 'Tools hidden from the model' },
    { name: 'disabledPlugins', type: 'array', description: 'Plugins that are not loaded' },
    { name: 'compactionEnabled', type: 'boolean', description: 'Summarize long conversations' },
    {
      name: 'compactionStrategy',
      type: 'string',
      description: 'How long conversations are summarized',
      values: ['basic', 'agentic'],
    },
    { name: 'autoUpdateEnabled', type: 'boolean', description: 'Update automatically' },
    { name: 'telemetryOptOut', type: 'boolean', description: 'Disable telemetry' },
  ],
  configFilePaths: [`${CLINE_DATA}/settings/global-settings.json`],
  projectConfigFilePaths: [],
  format: 'json',
  mcp: MCP,
};
