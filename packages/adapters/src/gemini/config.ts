import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';
import { DOLLAR } from '../shared/env-references.ts';
import { commonMcpEntry } from '../shared/mcp-servers.ts';
import { readUrlKindEntry } from '../shared/mcp-url-kinds.ts';
import { GEMINI_HOME } from './home.ts';

const SETTINGS = `${GEMINI_HOME}/settings.json`;
const PROJECT_SETTINGS = '.gemini/settings.json';

/** Names and values as in the schema of 0.61.0. */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Default model', nativePath: 'model.name' },
  {
    name: 'approvalMode',
    type: 'string',
    description: 'Which tools run without approval',
    values: ['default', 'auto_edit', 'plan'],
    nativePath: 'general.defaultApprovalMode',
  },
  {
    name: 'authType',
    type: 'string',
    description: 'Login method',
    values: ['oauth-personal', 'gemini-api-key', 'vertex-ai', 'compute-default-credentials', 'gateway'],
    nativePath: 'security.auth.selectedType',
  },
  { name: 'allowedTools', type: 'array', description: 'Tools that need no approval', nativePath: 'tools.allowed' },
  { name: 'deniedTools', type: 'array', description: 'Tools hidden from the model', nativePath: 'tools.exclude' },
  {
    name: 'includeDirectories',
    type: 'array',
    description: 'Additional folders that tools may work in',
    nativePath: 'context.includeDirectories',
  },
  {
    name: 'maxSessionTurns',
    type: 'number',
    description: 'Maximum model requests per session; -1: no limit',
    nativePath: 'model.maxSessionTurns',
  },
  {
    name: 'compressionThreshold',
    type: 'number',
    description: 'Share of the context window, from 0 to 1, at which the conversation is summarized',
    nativePath: 'model.compressionThreshold',
  },
  {
    name: 'maxAttempts',
    type: 'number',
    description: 'Attempts per model request, at most 10',
    nativePath: 'general.maxAttempts',
  },
  {
    name: 'modelAliases',
    type: 'object',
    description: 'Custom model aliases with a thinking budget or level; select one with the run option `model`',
    nativePath: 'modelConfigs.customAliases',
  },
  {
    name: 'modelOverrides',
    type: 'array',
    description: 'Settings that override those of models, such as generateContentConfig.thinkingConfig',
    nativePath: 'modelConfigs.customOverrides',
  },
  { name: 'mcpServers', type: 'object', description: 'MCP servers of every session', secret: true },
];

export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'gemini',
  fields: FIELDS,
  configFilePaths: [SETTINGS],
  projectConfigFilePaths: [PROJECT_SETTINGS],
  format: 'jsonc',
  mcp: {
    globalFile: SETTINGS,
    projectFile: PROJECT_SETTINGS,
    key: 'mcpServers',
    encode: commonMcpEntry,
    decode: readUrlKindEntry,
  },
  env: [{ reference: DOLLAR }],
};
