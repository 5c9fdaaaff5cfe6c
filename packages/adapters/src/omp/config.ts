import type { AgentConfigSchema, ExtensionFolders, McpConfigFormat, McpServer } from '@agent-mux/core';
import { isRecord, texts, word } from '../shared/json.ts';
import { CONFIG_HOME } from './home.ts';

const MCP: McpConfigFormat = {
  globalFile: [`${CONFIG_HOME}/mcp.json`, `${CONFIG_HOME}/.mcp.json`],
  projectFile: ['.omp/mcp.json', '.omp/.mcp.json'],
  format: 'json',
  key: 'mcpServers',
  encode: (server) =>
    'url' in server
      ? { type: server.type, url: server.url, ...(server.headers ? { headers: server.headers } : {}) }
      : {
          type: 'stdio',
          command: server.command,
          ...(server.args ? { args: server.args } : {}),
          ...(server.env ? { env: server.env } : {}),
        },
  decode(entry): McpServer | null {
    const url = word(entry.url);
    const command = word(entry.command);
    const headers = stringsIn(entry.headers);
    const env = stringsIn(entry.env);
    const args = texts(entry.args);
    if (url) return { type: entry.type === 'sse' ? 'sse' : 'http', url, ...(headers ? { headers } : {}) };
    if (!command) return null;
    return { command, ...(args.length > 0 ? { args } : {}), ...(env ? { env } : {}) };
  },
};

/** From `omp config list` of 18.2.3, which has several hundred. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'omp',
  fields: [
    {
      name: 'model',
      type: 'string',
      description: 'Default model, as provider/model',
      nativePath: 'modelRoles.default',
    },
    { name: 'smolModel', type: 'string', description: 'Model for light tasks', nativePath: 'modelRoles.smol' },
    { name: 'slowModel', type: 'string', description: 'Model for thorough analysis', nativePath: 'modelRoles.slow' },
    { name: 'planModel', type: 'string', description: 'Model for planning', nativePath: 'modelRoles.plan' },
    {
      name: 'thinkingLevel',
      type: 'string',
      values: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'auto'],
      description: 'Default thinking level',
      nativePath: 'defaultThinkingLevel',
    },
    {
      name: 'approvalMode',
      type: 'string',
      values: ['always-ask', 'write', 'yolo'],
      description: 'Which actions need approval',
      nativePath: 'tools.approvalMode',
    },
    { name: 'thinkingBudgets', type: 'object', description: 'Thinking budget in tokens by effort' },
    { name: 'enabledModels', type: 'array', description: 'Patterns of the available models' },
    { name: 'maxRetries', type: 'number', description: 'Retries of a failed request', nativePath: 'retry.maxRetries' },
    {
      name: 'autoCompact',
      type: 'boolean',
      description: 'Summarize a long conversation automatically',
      nativePath: 'compaction.enabled',
    },
    {
      name: 'addDirs',
      type: 'array',
      description: 'Additional folders',
      nativePath: 'workspace.additionalDirectories',
    },
  ],
  configFilePaths: [`${CONFIG_HOME}/config.yml`],
  // Read only if the other does not exist.
  oldConfigFilePaths: [`${CONFIG_HOME}/config.yaml`],
  projectConfigFilePaths: ['.omp/config.yml'],
  format: 'yaml',
  mcp: MCP,
  // The name of an environment variable, or else the key itself.
  env: [
    {
      file: `${CONFIG_HOME}/models.yml`,
      fields: ['providers.*.apiKey', 'providers.*.headers.*'],
      login: true,
      orValue: true,
    },
  ],
};

export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CONFIG_HOME}/skills`, project: '.omp/skills' },
  subagents: { global: `${CONFIG_HOME}/agents`, project: '.omp/agents' },
};

function stringsIn(values: unknown): Record<string, string> | undefined {
  if (!isRecord(values)) return undefined;
  const strings = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return strings.length === 0 ? undefined : Object.fromEntries(strings);
}
