import { type AgentConfigSchema, CapabilityError, type McpConfigForm } from '@agent-mux/core';
import { texts, word } from '../shared/json.ts';
import { namedTexts } from '../shared/mcp-servers.ts';
import { mcpServer } from './config.ts';
import { CODEX_HOME } from './home.ts';
import { APPROVAL_POLICIES, SANDBOX_MODES } from './permissions.ts';

const CONFIG_FILE = `${CODEX_HOME}/config.toml`;
/** Read only where `[projects."<folder>"] trust_level = "trusted"` stands in the user's own file. */
const PROJECT_FILE = '.codex/config.toml';

const MCP: McpConfigForm = {
  globalFile: CONFIG_FILE,
  projectFile: PROJECT_FILE,
  key: 'mcp_servers',
  encode(server) {
    if (server.type === 'sse')
      throw new CapabilityError('codex', 'mcp', 'Codex speaks no SSE with MCP servers', 'use the http address of it');
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

/** `values` are those that 0.166 names itself when it refuses another. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'codex',
  fields: [
    { name: 'model', type: 'string', description: 'Default model' },
    { name: 'model_provider', type: 'string', description: 'Provider of the model, one of model_providers' },
    { name: 'model_reasoning_effort', type: 'string', description: 'Default effort, one of those that the model has' },
    {
      name: 'model_reasoning_summary',
      type: 'string',
      description: 'How much of its thoughts the model tells',
      values: ['auto', 'concise', 'detailed', 'none'],
    },
    { name: 'model_verbosity', type: 'string', description: 'Length of answers', values: ['low', 'medium', 'high'] },
    {
      name: 'approval_policy',
      type: 'string',
      description: 'When somebody is asked before a command runs',
      values: APPROVAL_POLICIES,
    },
    { name: 'sandbox_mode', type: 'string', description: 'What commands may write', values: SANDBOX_MODES },
    {
      name: 'web_search',
      type: 'string',
      description: 'Whether the model searches the web, and how',
      values: ['disabled', 'cached', 'indexed', 'live'],
    },
    { name: 'notify', type: 'array', description: 'Program, with its arguments, that is run after each turn' },
    {
      name: 'check_for_update_on_startup',
      type: 'boolean',
      description: 'Whether a newer version is looked for at each start',
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
