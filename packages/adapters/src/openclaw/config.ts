import type { AgentConfigSchema, ConfigField, McpServer } from '@agent-mux/core';
import { BRACED } from '../shared/env-references.ts';
import type { Json } from '../shared/json.ts';
import { readCommonMcpEntry, untypedMcpEntry } from '../shared/mcp-servers.ts';
import { OPENCLAW_HOME } from './home.ts';

export const CONFIG_FILE = `{OPENCLAW_CONFIG_PATH:-${OPENCLAW_HOME}/openclaw.json}`;

const FIELDS: readonly ConfigField[] = [
  {
    name: 'model',
    type: 'string',
    description: 'Model of the agents, as provider/model',
    nativePath: 'agents.defaults.model.primary',
  },
  {
    name: 'thinking',
    type: 'string',
    description: 'Thinking of new sessions, one that the model supports',
    values: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'adaptive', 'max', 'ultra'],
    nativePath: 'agents.defaults.thinkingDefault',
  },
  {
    name: 'workspace',
    type: 'string',
    description: 'Working directory of the agents',
    nativePath: 'agents.defaults.workspace',
  },
  {
    name: 'execMode',
    type: 'string',
    description: 'Which commands run, and which need approval',
    values: ['deny', 'allowlist', 'ask', 'auto', 'full'],
    nativePath: 'tools.exec.mode',
  },
  { name: 'gatewayPort', type: 'number', description: 'Port of the gateway', nativePath: 'gateway.port' },
  {
    name: 'gatewayBind',
    type: 'string',
    description: 'Where the gateway listens',
    values: ['auto', 'loopback', 'lan', 'tailnet', 'custom'],
    nativePath: 'gateway.bind',
  },
  {
    name: 'gatewayAuthMode',
    type: 'string',
    description: 'How clients authenticate with the gateway',
    values: ['none', 'token', 'password', 'trusted-proxy'],
    nativePath: 'gateway.auth.mode',
  },
  {
    name: 'gatewayToken',
    type: 'string',
    description: 'Token of the gateway',
    nativePath: 'gateway.auth.token',
    secret: true,
  },
  {
    name: 'providers',
    type: 'object',
    description: 'Providers of models with their keys',
    nativePath: 'models.providers',
    secret: true,
  },
];

/** The file is JSON5: syntax beyond JSON with comments, such as keys without quotes, is refused and not changed. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'openclaw',
  fields: FIELDS,
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: [],
  format: 'jsonc',
  mcp: { globalFile: CONFIG_FILE, key: 'mcp.servers', encode, decode },
  env: [{ fields: ['models.providers'], reference: BRACED, login: true }, { reference: BRACED }],
};

/** Without `transport` an address means SSE. */
function encode(server: McpServer): Json {
  const entry = untypedMcpEntry(server);
  return 'url' in server ? { ...entry, transport: server.type === 'sse' ? 'sse' : 'streamable-http' } : entry;
}

function decode(entry: Json): McpServer | null {
  const type = entry.transport === 'streamable-http' || entry.type === 'http' ? 'http' : 'sse';
  return readCommonMcpEntry({ ...entry, type });
}
