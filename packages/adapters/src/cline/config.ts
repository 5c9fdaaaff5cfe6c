import type { AgentConfigSchema, McpConfigForm } from '@agent-mux/core';
import { isRecord } from '../shared/json.ts';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { CLINE_DATA } from './home.ts';

const HTTP = 'streamableHttp';

/** As `cline mcp install` writes it; the form of Cline in editors, without `transport`, is read too. */
const MCP: McpConfigForm = {
  globalFile: `${CLINE_DATA}/settings/cline_mcp_settings.json`,
  key: 'mcpServers',
  encode(server) {
    const type = 'url' in server ? (server.type === 'sse' ? 'sse' : HTTP) : 'stdio';
    return { transport: { ...commonMcpEntry(server), type } };
  },
  decode: (entry) => readCommonMcpEntry(isRecord(entry.transport) ? entry.transport : entry),
};

/** Its own schema of 3.0.65. The model is not here: it is that of the last run, for each provider, in providers.json. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'cline',
  fields: [
    { name: 'planActMode', type: 'string', description: 'Mode that runs start in', values: ['plan', 'act'] },
    { name: 'toolAutoApprove', type: 'boolean', description: 'Whether tools run without asking' },
    { name: 'disabledTools', type: 'array', description: 'Tools that the model is not offered' },
    { name: 'disabledPlugins', type: 'array', description: 'Plugins that are not loaded' },
    { name: 'compactionEnabled', type: 'boolean', description: 'Whether long conversations are summarised' },
    {
      name: 'compactionStrategy',
      type: 'string',
      description: 'How long conversations are summarised',
      values: ['basic', 'agentic'],
    },
    { name: 'autoUpdateEnabled', type: 'boolean', description: 'Whether it updates itself' },
    { name: 'telemetryOptOut', type: 'boolean', description: 'Whether nothing is told to the vendor' },
  ],
  configFilePaths: [`${CLINE_DATA}/settings/global-settings.json`],
  projectConfigFilePaths: [],
  format: 'json',
  mcp: MCP,
};
