import { type AgentConfigSchema, CapabilityError, type ConfigField, type McpServer } from '@agent-mux/core';
import { type Json, texts, word } from '../shared/json.ts';
import { namedTexts } from '../shared/mcp-servers.ts';

export const VIBE_HOME = '{VIBE_HOME:-~/.vibe}';
const CONFIG_FILE = `${VIBE_HOME}/config.toml`;
const PROJECT_FILE = '.vibe/config.toml';

const FIELDS: readonly ConfigField[] = [
  {
    name: 'model',
    type: 'string',
    description: 'Model of new sessions, by its alias',
    nativePath: 'active_model',
  },
  {
    name: 'agent',
    type: 'string',
    description: 'Agent of new sessions, such as default or plan',
    nativePath: 'default_agent',
  },
  {
    name: 'bypassToolPermissions',
    type: 'boolean',
    description: 'Run all tools without asking',
    nativePath: 'bypass_tool_permissions',
  },
  {
    name: 'enabledTools',
    type: 'array',
    description: 'The only available tools, by name or pattern',
    nativePath: 'enabled_tools',
  },
  {
    name: 'disabledTools',
    type: 'array',
    description: 'Tools hidden from the agent, by name or pattern',
    nativePath: 'disabled_tools',
  },
  {
    name: 'autoCompactThreshold',
    type: 'number',
    description: 'Tokens at which the conversation is summarized',
    nativePath: 'auto_compact_threshold',
  },
  {
    name: 'systemPromptId',
    type: 'string',
    description: 'Name of the file in prompts/ that replaces the system prompt',
    nativePath: 'system_prompt_id',
  },
  {
    name: 'telemetry',
    type: 'boolean',
    description: 'Report usage to Mistral',
    nativePath: 'enable_telemetry',
  },
  {
    name: 'sessionLogging',
    type: 'boolean',
    description: 'Store sessions',
    nativePath: 'session_logging.enabled',
  },
];

/** A project's file, if the folder is trusted, replaces the user's as a whole. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'vibe',
  fields: FIELDS,
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: [PROJECT_FILE],
  format: 'toml',
  mcp: { globalFile: CONFIG_FILE, projectFile: PROJECT_FILE, key: 'mcp_servers', list: true, encode, decode },
  env: [{ fields: ['providers.*.api_key_env_var'], login: true }],
};

function encode(server: McpServer): Json {
  if (server.type === 'sse') {
    const message = 'Mistral Vibe supports MCP servers over stdio and streamable HTTP, not over SSE';
    throw new CapabilityError('vibe', 'mcpServers', message);
  }
  if ('url' in server)
    return { transport: 'streamable-http', url: server.url, ...(server.headers && { headers: server.headers }) };
  const { command, args = [], env } = server;
  // A string is split like in a shell.
  return {
    transport: 'stdio',
    command: /^[\w./@:+-]+$/.test(command) ? command : [command],
    args,
    ...(env && { env }),
  };
}

function decode(entry: Json): McpServer | null {
  const url = word(entry.url);
  if (url && (entry.transport === 'streamable-http' || entry.transport === 'http')) {
    const headers = namedTexts(entry.headers);
    return { type: 'http', url, ...(headers && { headers }) };
  }
  const [command, ...first] = typeof entry.command === 'string' ? [entry.command] : texts(entry.command);
  if (entry.transport !== 'stdio' || !command) return null;
  const env = namedTexts(entry.env);
  return { command, args: [...first, ...texts(entry.args)], ...(env && { env }) };
}
