import type { AgentConfigSchema, ConfigField, McpServer } from '@agent-mux/core';
import type { Json } from '../shared/json.ts';
import { readCommonMcpEntry, untypedMcpEntry } from '../shared/mcp-servers.ts';

export const HERMES_HOME = '{HERMES_HOME:-~/.hermes}';
export const CONFIG_FILE = `${HERMES_HOME}/config.yaml`;

const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Default model', nativePath: 'model.default' },
  {
    name: 'provider',
    type: 'string',
    description: 'Provider of the model, such as openrouter or anthropic; auto finds one',
    nativePath: 'model.provider',
  },
  { name: 'baseUrl', type: 'string', description: 'Base URL of the API', nativePath: 'model.base_url' },
  { name: 'apiKey', type: 'string', description: 'Key of the API', nativePath: 'model.api_key', secret: true },
  {
    name: 'maxTurns',
    type: 'number',
    description: 'Maximum rounds of tool calls in one turn',
    nativePath: 'agent.max_turns',
  },
  {
    name: 'compression',
    type: 'boolean',
    description: 'Summarize long conversations',
    nativePath: 'compression.enabled',
  },
  {
    name: 'compressionThreshold',
    type: 'number',
    description: 'Share of the context window, from 0 to 1, at which to summarize',
    nativePath: 'compression.threshold',
  },
  {
    name: 'journalMode',
    type: 'string',
    description: 'Journal mode of its database; use delete on network file systems',
    values: ['wal', 'delete'],
    nativePath: 'database.journal_mode',
  },
];

/** No project file exists; profiles have a home each. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'hermes',
  fields: FIELDS,
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: [],
  format: 'yaml',
  mcp: { globalFile: CONFIG_FILE, key: 'mcp_servers', encode, decode },
};

/** An address means streamable HTTP unless `transport` says otherwise. */
function encode(server: McpServer): Json {
  return { ...untypedMcpEntry(server), ...(server.type === 'sse' ? { transport: 'sse' } : {}) };
}

function decode(entry: Json): McpServer | null {
  return readCommonMcpEntry(entry.transport === 'sse' ? { ...entry, type: 'sse' } : entry);
}
