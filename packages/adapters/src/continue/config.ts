import type { AgentConfigSchema, McpConfigFormat } from '@agent-mux/core';
import { record } from '../shared/json.ts';
import { commonMcpEntry, namedTexts, readCommonMcpEntry } from '../shared/mcp-servers.ts';
import { CONTINUE_HOME } from './home.ts';

const CONFIG_FILE = `${CONTINUE_HOME}/config.yaml`;
const HTTP = 'streamable-http';

/** The CLI does not read the `mcpServers` folders of home and project, which the editors read (1.5.47). */
const MCP: McpConfigFormat = {
  globalFile: CONFIG_FILE,
  key: 'mcpServers',
  list: true,
  encode(server) {
    if (!('url' in server)) return commonMcpEntry(server);
    const { type, url, headers } = server;
    return { type: type === 'sse' ? type : HTTP, url, ...(headers && { requestOptions: { headers } }) };
  },
  decode(entry) {
    const headers = namedTexts(record(entry.requestOptions).headers);
    return readCommonMcpEntry({ ...entry, ...(headers && { headers }) });
  },
};

/** `${{ secrets.NAME }}`, optionally with the owner of the secret before the name. */
const SECRET = /\$\{\{\s*secrets\.(?:[^\s}]*\/)?(\w+)\s*\}\}/;

/** The first of `models` with the role `chat` answers. Permissions of tools are in permissions.yaml. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'continue',
  fields: [
    { name: 'name', type: 'string', description: 'Name of this configuration' },
    { name: 'rules', type: 'array', description: 'Instructions for every session' },
    { name: 'prompts', type: 'array', description: 'Named prompts' },
    { name: 'models', type: 'array', description: 'The models, each with its provider and key', secret: true },
  ],
  configFilePaths: [CONFIG_FILE],
  projectConfigFilePaths: [],
  format: 'yaml',
  mcp: MCP,
  env: [{ fields: ['models'], reference: SECRET, login: true }, { reference: SECRET }],
};
