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
    description: 'Agent that new sessions start with, such as default or plan',
    nativePath: 'default_agent',
  },
  {
    name: 'bypassToolPermissions',
    type: 'boolean',
    description: 'Whether all tools run without asking',
    nativePath: 'bypass_tool_permissions',
  },
  {
    name: 'enabledTools',
    type: 'array',
    description: 'The only tools that the agent gets, by name or pattern',
    nativePath: 'enabled_tools',
  },
  {
    name: 'disabledTools',
    type: 'array',
    description: 'Tools that the agent does not get, by name or pattern',
    nativePath: 'disabled_tools',
  },
  {
    name: 'autoCompactThreshold',
    type: 'number',
    description: 'Tokens at which the conversation is summarised',
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
    description: 'Whether usage is reported to Mistral',
    nativePath: 'enable_telemetry',
  },
  {
    name: 'sessionLogging',
    type: 'boolean',
    description: 'Whether sessions are kept',
    nativePath: 'session_logging.enabled',
  },
];

/** A project's file, where the folder is trusted, takes the place of the user's as a whole. */
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
    const message = 'Mistral Vibe takes MCP servers over stdio and over streamable HTTP, and none over SSE';
    throw new CapabilityError('vibe', 'mcpServers', message);
  }
  if ('url' in server)
    return { transport: 'streamable-http', url: server.url, ...(server.headers && { headers: server.headers }) };
  const { command, args = [], env } = server;
  // A text is split as a shell would.
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
