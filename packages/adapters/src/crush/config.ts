import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';
import { DOLLAR } from '../shared/env-references.ts';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';

const CONFIG_HOME = '{CRUSH_GLOBAL_CONFIG:-{XDG_CONFIG_HOME:-~/.config}/crush}';
export const DATA_HOME = '{CRUSH_GLOBAL_DATA:-{XDG_DATA_HOME:-~/.local/share}/crush}';
export const SKILLS_FOLDER = '{CRUSH_SKILLS_DIR:-{XDG_CONFIG_HOME:-~/.config}/crush/skills}';

const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Model of the agent', nativePath: 'models.large.model' },
  { name: 'provider', type: 'string', description: 'Provider of that model', nativePath: 'models.large.provider' },
  {
    name: 'reasoningEffort',
    type: 'string',
    description: 'Reasoning effort for models that support it',
    values: ['low', 'medium', 'high'],
    nativePath: 'models.large.reasoning_effort',
  },
  {
    name: 'think',
    type: 'boolean',
    description: 'Enable thinking for Anthropic models',
    nativePath: 'models.large.think',
  },
  {
    name: 'smallModel',
    type: 'string',
    description: 'Model for titles and other small tasks',
    nativePath: 'models.small.model',
  },
  {
    name: 'allowedTools',
    type: 'array',
    description: 'Tools that run without asking',
    nativePath: 'permissions.allowed_tools',
  },
  {
    name: 'disabledTools',
    type: 'array',
    description: 'Tools hidden from the agent',
    nativePath: 'options.disabled_tools',
  },
  {
    name: 'contextPaths',
    type: 'array',
    description: 'Files to include in the context',
    nativePath: 'options.context_paths',
  },
  {
    name: 'disableAutoSummarize',
    type: 'boolean',
    description: 'Disable summaries of long conversations',
    nativePath: 'options.disable_auto_summarize',
  },
  {
    name: 'trailerStyle',
    type: 'string',
    description: 'How commits mention Crush',
    values: ['none', 'co-authored-by', 'assisted-by'],
    nativePath: 'options.attribution.trailer_style',
  },
  { name: 'providers', type: 'object', description: 'Providers with their addresses and keys', secret: true },
];

const PROJECT_FILES = ['crush.json', '.crush.json'];

/**
 * Its JSON format; a `crushrc`, which is a script, wins over it within the same folder and is not read here. Choices
 * made in the terminal are in the second file, which wins over the user's own.
 */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'crush',
  fields: FIELDS,
  configFilePaths: [`${CONFIG_HOME}/crush.json`, `${DATA_HOME}/crush.json`],
  projectConfigFilePaths: PROJECT_FILES,
  format: 'json',
  mcp: {
    globalFile: `${CONFIG_HOME}/crush.json`,
    projectFile: PROJECT_FILES,
    key: 'mcp',
    encode: (server) => ({ type: 'stdio', ...commonMcpEntry(server) }),
    decode: readCommonMcpEntry,
  },
  env: [
    { fields: ['providers'], reference: DOLLAR, login: true },
    { fields: ['mcp', 'lsp'], reference: DOLLAR },
  ],
};
