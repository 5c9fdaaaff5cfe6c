import type { AgentConfigSchema, ConfigField } from '@agent-mux/core';
import { readCommonMcpEntry, untypedMcpEntry } from '../shared/mcp-servers.ts';

const FOLDER = '{XDG_CONFIG_HOME:-~/.config}/amp';

/** Keys with dots in them, not objects within objects. */
function setting(key: string, field: Omit<ConfigField, 'nativePath'>): ConfigField {
  return { ...field, nativePath: `"amp.${key}"` };
}

const FIELDS: readonly ConfigField[] = [
  setting('permissions', {
    name: 'permissions',
    type: 'array',
    description: 'Rules for tools, the first that fits counts: {tool, action: allow|reject|ask|delegate, matches}',
  }),
  setting('tools.disable', { name: 'toolsDisable', type: 'array', description: 'Tools that the agent does not get' }),
  setting('mcpPermissions', {
    name: 'mcpPermissions',
    type: 'array',
    description: 'Which MCP servers may be started: {matches, action: allow|reject}',
  }),
  setting('showCosts', { name: 'showCosts', type: 'boolean', description: 'Whether the cost of a thread is shown' }),
  setting('fuzzy.alwaysIncludePaths', {
    name: 'alwaysIncludePaths',
    type: 'array',
    description: 'Patterns of files that are found although Git ignores them',
  }),
  setting('git.commit.ampThread.enabled', {
    name: 'commitThread',
    type: 'boolean',
    description: 'Whether commits name the thread',
  }),
  setting('skills.path', { name: 'skillsPath', type: 'string', description: 'A further folder of skills' }),
  setting('mcpServers', { name: 'mcpServers', type: 'object', description: 'MCP servers by name', secret: true }),
];

const USER_FILES = [`${FOLDER}/settings.json`, `${FOLDER}/settings.jsonc`];
const PROJECT_FILES = ['.amp/settings.json', '.amp/settings.jsonc'];

/** Where both are there, `settings.json` is the one that everybody writes to. A project's win over the user's. */
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
