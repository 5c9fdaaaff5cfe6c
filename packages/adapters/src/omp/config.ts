import type { AgentConfigSchema, ExtensionFolders, McpConfigForm, McpServer } from '@agent-mux/core';
import { isRecord, texts, word } from '../shared/json.ts';
import { CONFIG_HOME } from './home.ts';

const MCP: McpConfigForm = {
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

/** By `omp config list` of 18.2.3, which has several hundred. */
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
      description: 'What is asked for before it is done',
      nativePath: 'tools.approvalMode',
    },
    { name: 'enabledModels', type: 'array', description: 'Patterns of the models that are offered' },
    { name: 'maxRetries', type: 'number', description: 'Retries of a failed request', nativePath: 'retry.maxRetries' },
    {
      name: 'autoCompact',
      type: 'boolean',
      description: 'Whether a long conversation is summarised by itself',
      nativePath: 'compaction.enabled',
    },
    {
      name: 'addDirs',
      type: 'array',
      description: 'Folders beside the working directory',
      nativePath: 'workspace.additionalDirectories',
    },
  ],
  configFilePaths: [`${CONFIG_HOME}/config.yml`],
  // Read only where the other is not there.
  oldConfigFilePaths: [`${CONFIG_HOME}/config.yaml`],
  projectConfigFilePaths: ['.omp/config.yml'],
  format: 'yaml',
  mcp: MCP,
  // The name of a variable that is set, or else the key itself.
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
