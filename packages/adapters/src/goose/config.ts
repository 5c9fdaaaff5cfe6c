import { type AgentConfigSchema, CapabilityError, type ConfigField, type McpServer } from '@agent-mux/core';
import { type Json, texts, word } from '../shared/json.ts';
import { namedTexts } from '../shared/mcp-servers.ts';

const FOLDER = '{XDG_CONFIG_HOME:-~/.config}/goose';
export const CONFIG_FILE = `${FOLDER}/config.yaml`;
/** Where keys are stored without a keychain. */
export const SECRETS_FILE = `${FOLDER}/secrets.yaml`;

/** Each is also read from the environment variable of the same name, which wins. */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Default model of the provider', nativePath: 'GOOSE_MODEL' },
  {
    name: 'provider',
    type: 'string',
    description: 'Provider of the model, such as anthropic or openai',
    nativePath: 'GOOSE_PROVIDER',
  },
  {
    name: 'mode',
    type: 'string',
    description: 'Which tools run without approval',
    values: ['auto', 'approve', 'smart_approve', 'chat'],
    nativePath: 'GOOSE_MODE',
  },
  {
    name: 'maxTurns',
    type: 'number',
    description: 'Steps before the user is asked to continue',
    nativePath: 'GOOSE_MAX_TURNS',
  },
  {
    name: 'autoCompactThreshold',
    type: 'number',
    description: 'Share of the context window, from 0 to 1, at which the conversation is summarized',
    nativePath: 'GOOSE_AUTO_COMPACT_THRESHOLD',
  },
  {
    name: 'openaiHost',
    type: 'string',
    description: 'Base URL of an OpenAI-compatible API',
    nativePath: 'OPENAI_HOST',
  },
  { name: 'extensions', type: 'object', description: 'Extensions by name, including MCP servers', secret: true },
];

export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'goose',
  fields: FIELDS,
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: [],
  format: 'yaml',
  mcp: { globalFile: CONFIG_FILE, key: 'extensions', encode, decode },
  env: [
    {
      file: `${FOLDER}/custom_providers/*.json`,
      format: 'json',
      fields: ['api_key_env', 'env_vars.*.name'],
      login: true,
    },
    { fields: ['extensions.*.env_keys.*'] },
  ],
};

function encode(server: McpServer, name: string): Json {
  if (server.type === 'sse') {
    const message = 'goose supports MCP servers over stdio and streamable HTTP, not over SSE';
    throw new CapabilityError('goose', 'mcpServers', message);
  }
  const common = { enabled: true, name };
  if ('url' in server)
    return { ...common, type: 'streamable_http', uri: server.url, ...(server.headers && { headers: server.headers }) };
  const { command, args = [], env } = server;
  return { ...common, type: 'stdio', cmd: command, args, ...(env && { envs: env }) };
}

/** The others (`builtin`, `platform`, `frontend`, `inline_python`) are not separate servers. */
function decode(entry: Json): McpServer | null {
  const url = word(entry.uri);
  if (entry.type === 'streamable_http' && url) {
    const headers = namedTexts(entry.headers);
    return { type: 'http', url, ...(headers && { headers }) };
  }
  const command = word(entry.cmd);
  if (entry.type !== 'stdio' || !command) return null;
  const env = namedTexts(entry.envs);
  return { command, args: texts(entry.args), ...(env && { env }) };
}
