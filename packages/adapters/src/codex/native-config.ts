import { type AgentConfigSchema, CapabilityError, type McpConfigFormat } from '@agent-mux/core';
import { texts, word } from '../shared/json.ts';
import { namedTexts } from '../shared/mcp-servers.ts';
import { mcpServer } from './config.ts';
import { CODEX_HOME } from './home.ts';
import { APPROVAL_POLICIES, SANDBOX_MODES } from './permissions.ts';

const CONFIG_FILE = `${CODEX_HOME}/config.toml`;
/** Read only if the user's own file has `[projects."<folder>"] trust_level = "trusted"`. */
const PROJECT_FILE = '.codex/config.toml';

const MCP: McpConfigFormat = {
  globalFile: CONFIG_FILE,
  projectFile: PROJECT_FILE,
  key: 'mcp_servers',
  encode(server) {
    if (server.type === 'sse')
      throw new CapabilityError('codex', 'mcp', 'Codex does not support MCP servers over SSE', 'use its http address');
    return mcpServer(server);
  },
  decode(entry) {
    const url = word(entry.url);
    const headers = namedTexts(entry.http_headers);
    if (url) return { type: 'http', url, ...(headers && { headers }) };
    const command = word(entry.command);
    const env = namedTexts(entry.env);
    return command ? { command, args: texts(entry.args), ...(env && { env }) } : null;
  },
};

/** `values` are those that 0.166 lists when it refuses another. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'codex',
  fields: [
    { name: 'model', type: 'string', description: 'Default model' },
    { name: 'model_provider', type: 'string', description: 'Provider of the model, a key of model_providers' },
    { name: 'model_reasoning_effort', type: 'string', description: 'Default effort, one that the model supports' },
    {
      name: 'model_reasoning_summary',
      type: 'string',
      description: 'Detail of the reasoning summary',
      values: ['auto', 'concise', 'detailed', 'none'],
    },
    { name: 'model_verbosity', type: 'string', description: 'Length of answers', values: ['low', 'medium', 'high'] },
    {
      name: 'approval_policy',
      type: 'string',
      description: 'When to ask before a command runs',
      values: APPROVAL_POLICIES,
    },
    { name: 'sandbox_mode', type: 'string', description: 'What commands may write', values: SANDBOX_MODES },
    {
      name: 'web_search',
      type: 'string',
      description: 'Web search mode',
      values: ['disabled', 'cached', 'indexed', 'live'],
    },
    { name: 'notify', type: 'array', description: 'Program with arguments to run after each turn' },
    {
      name: 'check_for_update_on_startup',
      type: 'boolean',
      description: 'Check for updates at each start',
    },
  ],
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: [PROJECT_FILE],
  format: 'toml',
  mcp: MCP,
  env: [
    { fields: ['model_providers.*.env_key', 'model_providers.*.env_http_headers.*'], login: true },
    {
      fields: [
        'mcp_servers.*.bearer_token_env_var',
        'mcp_servers.*.env_http_headers.*',
        'mcp_servers.*.env_vars.*',
        'mcp_servers.*.env_vars.*.name',
      ],
    },
  ],
};
