import type { AgentConfigSchema, ExtensionFolders } from '@agent-mux/core';
import { DOLLAR } from '../shared/env-references.ts';
import { CONFIG_HOME } from './home.ts';

/** By the settings reference of 0.87.1. A project's file counts only once the user has trusted the project. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'pi',
  fields: [
    { name: 'model', type: 'string', description: 'Default model, by its id alone', nativePath: 'defaultModel' },
    { name: 'provider', type: 'string', description: 'Provider of the default model', nativePath: 'defaultProvider' },
    {
      name: 'thinkingLevel',
      type: 'string',
      values: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      description: 'Default thinking level',
      nativePath: 'defaultThinkingLevel',
    },
    { name: 'tools', type: 'array', description: 'Built-in tools at the start', nativePath: 'defaultTools' },
    { name: 'thinkingBudgets', type: 'object', description: 'Tokens for each thinking effort, by its name' },
    { name: 'enabledModels', type: 'array', description: 'Patterns of the models that are offered' },
    {
      name: 'projectTrust',
      type: 'string',
      values: ['ask', 'always', 'never'],
      description: 'Whether files of a project that nobody decided about are used; only in the own file',
      nativePath: 'defaultProjectTrust',
    },
    { name: 'maxRetries', type: 'number', description: 'Retries of a failed request', nativePath: 'retry.maxRetries' },
    {
      name: 'autoCompact',
      type: 'boolean',
      description: 'Whether a long conversation is summarised by itself',
      nativePath: 'compaction.enabled',
    },
    { name: 'skills', type: 'array', description: 'Further skills: files or folders' },
    { name: 'extensions', type: 'array', description: 'Further extensions: files or folders' },
  ],
  configFilePaths: [`${CONFIG_HOME}/settings.json`],
  projectConfigFilePaths: ['.pi/settings.json'],
  format: 'json',
  env: [
    { file: `${CONFIG_HOME}/models.json`, fields: ['providers'], reference: DOLLAR, login: true },
    { file: `${CONFIG_HOME}/auth.json`, fields: ['*.key'], reference: DOLLAR, login: true },
  ],
};

export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CONFIG_HOME}/skills`, project: '.pi/skills' },
};
