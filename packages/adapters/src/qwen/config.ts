import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';
import { DOLLAR } from '../shared/env-references.ts';
import { readUrlKindEntry, urlKindEntry } from '../shared/mcp-url-kinds.ts';
import { CONFIG_HOME } from './home.ts';

const SETTINGS = `${CONFIG_HOME}/settings.json`;
const PROJECT_SETTINGS = '.qwen/settings.json';

/** Names and values as in the schema of 0.24.4. */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Default model', nativePath: 'model.name' },
  {
    name: 'reasoningEffort',
    type: 'string',
    description: 'Thinking effort of models that support it',
    values: ['low', 'medium', 'high', 'xhigh', 'max'],
    nativePath: 'model.reasoningEffort',
  },
  {
    name: 'approvalMode',
    type: 'string',
    description: 'Which tools run without approval',
    values: ['plan', 'default', 'auto-edit', 'auto', 'yolo'],
    nativePath: 'tools.approvalMode',
  },
  {
    name: 'authType',
    type: 'string',
    description: 'Kind of provider',
    values: ['openai', 'openai-responses', 'anthropic', 'gemini', 'vertex-ai', 'qwen-oauth'],
    nativePath: 'security.auth.selectedType',
  },
  { name: 'allowedTools', type: 'array', description: 'Tools that need no approval', nativePath: 'permissions.allow' },
  { name: 'deniedTools', type: 'array', description: 'Tools that are refused', nativePath: 'permissions.deny' },
  {
    name: 'includeDirectories',
    type: 'array',
    description: 'Additional folders that tools may work in',
    nativePath: 'context.includeDirectories',
  },
  {
    name: 'maxSessionTurns',
    type: 'number',
    description: 'Maximum turns in a session; -1: no limit',
    nativePath: 'model.maxSessionTurns',
  },
  {
    name: 'maxRetries',
    type: 'number',
    description: 'Rounds of retries after a rate limit',
    nativePath: 'model.generationConfig.maxRetries',
  },
  { name: 'mcpServers', type: 'object', description: 'MCP servers of every session', secret: true },
];

export const CONFIG_SCHEMA: Omit<AgentConfigSchema, 'agent'> = {
  fields: FIELDS,
  configFilePaths: [SETTINGS],
  projectConfigFilePaths: [PROJECT_SETTINGS],
  format: 'jsonc',
  mcp: {
    globalFile: SETTINGS,
    projectFile: PROJECT_SETTINGS,
    key: 'mcpServers',
    encode: urlKindEntry,
    decode: readUrlKindEntry,
  },
  env: [{ fields: ['modelProviders.*.*.envKey'], login: true }, { reference: DOLLAR }],
};
