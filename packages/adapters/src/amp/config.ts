import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';
import { readCommonMcpEntry, untypedMcpEntry } from '../shared/mcp-servers.ts';

const FOLDER = '{XDG_CONFIG_HOME:-~/.config}/amp';

/** Keys contain dots; they are not nested objects. */
function setting(key: string, field: Omit<ConfigField, 'nativePath'>): ConfigField {
  return { ...field, nativePath: `"amp.${key}"` };
}

const FIELDS: readonly ConfigField[] = [
  setting('permissions', {
    name: 'permissions',
    type: 'array',
    description: 'Rules for tools, first match wins: {tool, action: allow|reject|ask|delegate, matches}',
  }),
  setting('tools.disable', { name: 'toolsDisable', type: 'array', description: 'Tools hidden from the agent' }),
  setting('mcpPermissions', {
    name: 'mcpPermissions',
    type: 'array',
    description: 'MCP servers that may start: {matches, action: allow|reject}',
  }),
  setting('showCosts', { name: 'showCosts', type: 'boolean', description: 'Show the cost of a thread' }),
  setting('fuzzy.alwaysIncludePaths', {
    name: 'alwaysIncludePaths',
    type: 'array',
    description: 'Patterns of files to find although Git ignores them',
  }),
  setting('git.commit.ampThread.enabled', {
    name: 'commitThread',
    type: 'boolean',
    description: 'Mention the thread in commits',
  }),
  setting('skills.path', { name: 'skillsPath', type: 'string', description: 'Additional skills folder' }),
  setting('mcpServers', { name: 'mcpServers', type: 'object', description: 'MCP servers by name', secret: true }),
];

const USER_FILES = [`${FOLDER}/settings.json`, `${FOLDER}/settings.jsonc`];
const PROJECT_FILES = ['.amp/settings.json', '.amp/settings.jsonc'];

/** If both exist, `settings.json` is the one that other tools write to. Project settings win over user settings. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'amp',
  fields: FIELDS,
  configFilePaths: USER_FILES,
  projectConfigFilePaths: PROJECT_FILES,
  format: 'jsonc',
  mcp: {
    globalFile: USER_FILES,
    projectFile: PROJECT_FILES,
    key: '"amp.mcpServers"',
    encode: untypedMcpEntry,
    decode: readCommonMcpEntry,
  },
};
