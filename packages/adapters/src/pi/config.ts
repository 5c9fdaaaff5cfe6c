import type { AgentConfigSchema, ExtensionFolders } from '@agent-mux/core';
import { DOLLAR } from '../shared/env-references.ts';
import { CONFIG_HOME } from './home.ts';

/** From the settings reference of 0.87.1. A project's file applies only once the user has trusted the project. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'pi',
  fields: [
    { name: 'model', type: 'string', description: 'Default model, by its id', nativePath: 'defaultModel' },
    { name: 'provider', type: 'string', description: 'Provider of the default model', nativePath: 'defaultProvider' },
    {
      name: 'thinkingLevel',
      type: 'string',
      values: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      description: 'Default thinking level',
      nativePath: 'defaultThinkingLevel',
    },
    { name: 'tools', type: 'array', description: 'Built-in tools at the start', nativePath: 'defaultTools' },
    { name: 'thinkingBudgets', type: 'object', description: 'Thinking budget in tokens by effort' },
    { name: 'enabledModels', type: 'array', description: 'Patterns of the available models' },
    {
      name: 'projectTrust',
      type: 'string',
      values: ['ask', 'always', 'never'],
      description: 'Use files of undecided projects; only in the user file',
      nativePath: 'defaultProjectTrust',
    },
    { name: 'maxRetries', type: 'number', description: 'Retries of a failed request', nativePath: 'retry.maxRetries' },
    {
      name: 'autoCompact',
      type: 'boolean',
      description: 'Summarize a long conversation automatically',
      nativePath: 'compaction.enabled',
    },
    { name: 'skills', type: 'array', description: 'Additional skills: files or folders' },
    { name: 'extensions', type: 'array', description: 'Additional extensions: files or folders' },
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
