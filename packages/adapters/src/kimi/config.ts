import type { AgentConfigSchema, ConfigField, McpServer } from '@agent-mux/core';
import type { Json } from '../shared/json.ts';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { KIMI_HOME } from './home.ts';

export const CONFIG_FILE = `${KIMI_HOME}/config.toml`;

/** As in the schema of 2.1.0. Projects have no such file. */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Default model, by its alias', nativePath: 'default_model' },
  { name: 'thinkingEffort', type: 'string', description: 'Default effort', nativePath: 'thinking.effort' },
  { name: 'thinking', type: 'boolean', description: 'Whether models think', nativePath: 'thinking.enabled' },
  {
    name: 'permissionMode',
    type: 'string',
    description: 'Permission mode of new sessions',
    values: ['manual', 'yolo', 'auto'],
    nativePath: 'default_permission_mode',
  },
  { name: 'planMode', type: 'boolean', description: 'Start in plan mode', nativePath: 'default_plan_mode' },
  {
    name: 'maxStepsPerTurn',
    type: 'number',
    description: 'Maximum steps of a turn',
    nativePath: 'loop_control.max_steps_per_turn',
  },
  { name: 'telemetry', type: 'boolean', description: 'Report usage' },
  { name: 'models', type: 'object', description: 'Models by their aliases' },
  { name: 'providers', type: 'object', description: 'Providers of models, with their keys', secret: true },
];

/** Servers of a project apply once its folder is trusted. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'kimi',
  fields: FIELDS,
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: [],
  format: 'toml',
  mcp: {
    globalFile: `${KIMI_HOME}/mcp.json`,
    projectFile: '.kimi-code/mcp.json',
    format: 'json',
    key: 'mcpServers',
    encode,
    decode: (entry) => readCommonMcpEntry({ ...entry, type: entry.transport }),
  },
};

/** stdio and HTTP are distinguished by `command` and `url`. */
function encode(server: McpServer): Json {
  const { type, ...entry } = commonMcpEntry(server);
  return type === 'sse' ? { transport: type, ...entry } : entry;
}
