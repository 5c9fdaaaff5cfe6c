import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';
import { readCommonMcpEntry, untypedMcpEntry } from '../shared/mcp-servers.ts';

export const KIRO_HOME = '{KIRO_HOME:-~/.kiro}';

/** Keys contain dots; they are not nested objects. */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Model of new sessions', nativePath: '"chat.defaultModel"' },
  {
    name: 'agent',
    type: 'string',
    description: 'Custom agent that new sessions start with',
    nativePath: '"chat.defaultAgent"',
  },
  {
    name: 'agentEngine',
    type: 'string',
    description: 'Engine that runs the agent, such as v3',
    nativePath: '"chat.agentEngine"',
  },
  {
    name: 'modelDefaults',
    type: 'object',
    description: 'Default model options of new sessions, such as effort, by model',
    nativePath: '"chat.modelDefaults"',
  },
  {
    name: 'disableWrap',
    type: 'boolean',
    description: 'Leave line wrapping to the terminal',
    nativePath: '"chat.disableWrap"',
  },
];

export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'kiro',
  fields: FIELDS,
  configFilePaths: [`${KIRO_HOME}/settings/cli.json`],
  projectConfigFilePaths: ['.kiro/settings/cli.json'],
  format: 'json',
  mcp: {
    globalFile: `${KIRO_HOME}/settings/mcp.json`,
    projectFile: '.kiro/settings/mcp.json',
    key: 'mcpServers',
    encode: untypedMcpEntry,
    decode: readCommonMcpEntry,
  },
};
