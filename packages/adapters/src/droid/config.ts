import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';
import { BRACED } from '../shared/env-references.ts';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { FACTORY_HOME } from './home.ts';

export const SETTINGS_FILE = `${FACTORY_HOME}/settings.json`;

const FIELDS: readonly ConfigField[] = [
  {
    name: 'model',
    type: 'string',
    description: 'Model of new sessions; a custom one is custom:NAME-0',
    nativePath: 'sessionDefaultSettings.model',
  },
  {
    name: 'reasoningEffort',
    type: 'string',
    description: 'Effort of new sessions, one that the model supports',
    values: ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    nativePath: 'sessionDefaultSettings.reasoningEffort',
  },
  {
    name: 'autonomyLevel',
    type: 'string',
    description: 'What new sessions may do without asking',
    values: ['off', 'low', 'medium', 'high'],
    nativePath: 'sessionDefaultSettings.autonomyLevel',
  },
  { name: 'commandAllowlist', type: 'array', description: 'Commands that run without asking' },
  { name: 'commandDenylist', type: 'array', description: 'Commands that always need approval' },
  { name: 'cloudSessionSync', type: 'boolean', description: 'Copy sessions to Factory' },
  { name: 'includeCoAuthoredByDroid', type: 'boolean', description: 'Name Droid as co-author of commits' },
  { name: 'customModels', type: 'array', description: 'Custom models, with their keys', secret: true },
];

/** A project's own settings win over the user's, key by key (seen with 0.215). */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'droid',
  fields: FIELDS,
  configFilePaths: [SETTINGS_FILE],
  projectConfigFilePaths: ['.factory/settings.json'],
  format: 'jsonc',
  mcp: {
    globalFile: `${FACTORY_HOME}/mcp.json`,
    projectFile: '.factory/mcp.json',
    format: 'json',
    key: 'mcpServers',
    encode: (server) => ({ type: 'stdio', ...commonMcpEntry(server) }),
    decode: readCommonMcpEntry,
  },
  env: [{ file: `${FACTORY_HOME}/mcp.json`, reference: BRACED }],
};
