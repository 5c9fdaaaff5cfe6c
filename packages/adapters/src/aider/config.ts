import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';

/** The names of its options, without the dashes before them. */
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
    description: 'Effort that is passed to models that take one',
    nativePath: 'reasoning-effort',
  },
  {
    name: 'autoCommits',
    type: 'boolean',
    description: 'Whether its edits are committed',
    nativePath: 'auto-commits',
  },
  {
    name: 'dirtyCommits',
    type: 'boolean',
    description: 'Whether what was changed before is committed first',
    nativePath: 'dirty-commits',
  },
  {
    name: 'autoLint',
    type: 'boolean',
    description: 'Whether files are linted after an edit',
    nativePath: 'auto-lint',
  },
  { name: 'testCmd', type: 'string', description: 'Command that runs the tests', nativePath: 'test-cmd' },
  { name: 'read', type: 'array', description: 'Files that the model gets to read' },
  {
    name: 'openaiApiBase',
    type: 'string',
    description: 'Address of an OpenAI-like API',
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

/** It knows no MCP servers. Of a project the file in its Git root is read, and one in the folder itself wins. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'aider',
  fields: FIELDS,
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: ['.aider.conf.yml'],
  format: 'yaml',
};
