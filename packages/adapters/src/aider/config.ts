import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';

/** The names of its options without the leading dashes. */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Main model' },
  {
    name: 'weakModel',
    type: 'string',
    description: 'Model for commit messages and summaries',
    nativePath: 'weak-model',
  },
  {
    name: 'editorModel',
    type: 'string',
    description: 'Model that turns a plan into edits',
    nativePath: 'editor-model',
  },
  {
    name: 'editFormat',
    type: 'string',
    description: 'How the model writes edits, such as diff or whole',
    nativePath: 'edit-format',
  },
  {
    name: 'reasoningEffort',
    type: 'string',
    description: 'Reasoning effort for models that support it',
    nativePath: 'reasoning-effort',
  },
  {
    name: 'autoCommits',
    type: 'boolean',
    description: 'Commit its edits',
    nativePath: 'auto-commits',
  },
  {
    name: 'dirtyCommits',
    type: 'boolean',
    description: 'Commit existing changes before an edit',
    nativePath: 'dirty-commits',
  },
  {
    name: 'autoLint',
    type: 'boolean',
    description: 'Lint files after an edit',
    nativePath: 'auto-lint',
  },
  { name: 'testCmd', type: 'string', description: 'Command that runs the tests', nativePath: 'test-cmd' },
  { name: 'read', type: 'array', description: 'Files the model may only read' },
  {
    name: 'openaiApiBase',
    type: 'string',
    description: 'Base URL of an OpenAI-compatible API',
    nativePath: 'openai-api-base',
  },
  {
    name: 'openaiApiKey',
    type: 'string',
    description: 'Key of OpenAI',
    nativePath: 'openai-api-key',
    secret: true,
  },
  {
    name: 'anthropicApiKey',
    type: 'string',
    description: 'Key of Anthropic',
    nativePath: 'anthropic-api-key',
    secret: true,
  },
];

export const CONFIG_FILE = '~/.aider.conf.yml';

/** It has no MCP support. For a project it reads the file in the Git root; one in the folder itself wins. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'aider',
  fields: FIELDS,
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: ['.aider.conf.yml'],
  format: 'yaml',
};
