import type { AgentConfigSchema, ConfigField, McpConfigFormat, McpServer } from '@agent-mux/core';
import { isRecord, texts, word } from '../shared/json.ts';

export interface FamilyFiles {
  /** Name of the folders below the XDG homes. */
  folder: string;
  /** Below the user's configuration folder, in reading order: the last one wins. */
  config: readonly string[];
  /** In the project, in the same order. */
  project: readonly string[];
}

/** Read before all others; neither CLI creates it any more. */
const OLD_FILE = 'config.json';

/**
 * From the schema that opencode 1.18.33 and kilo 7.7.7 serve with their API. Without `permission` and `autoupdate`,
 * which may be a string as well as an object or a boolean.
 */
const FIELDS: readonly ConfigField[] = [
  { name: 'model', type: 'string', description: 'Default model, as provider/model' },
  { name: 'small_model', type: 'string', description: 'Model for titles and other small tasks, as provider/model' },
  { name: 'default_agent', type: 'string', description: 'Agent of new sessions' },
  { name: 'instructions', type: 'array', description: 'Files to add to the system prompt' },
  {
    name: 'share',
    type: 'string',
    values: ['manual', 'auto', 'disabled'],
    description: 'Publish sessions',
  },
  { name: 'snapshot', type: 'boolean', description: 'Keep snapshots of files to undo changes' },
  {
    name: 'autoCompact',
    type: 'boolean',
    description: 'Summarize a long conversation automatically',
    nativePath: 'compaction.auto',
  },
  { name: 'disabled_providers', type: 'array', description: 'Providers that are never used' },
  { name: 'provider', type: 'object', description: 'Providers with their models and keys', secret: true },
  { name: 'mcp', type: 'object', description: 'MCP servers', secret: true },
];

const ENV_REFERENCE = /\{env:(\w+)\}/;

export function familySchema(agent: string, { folder, config, project }: FamilyFiles): AgentConfigSchema {
  const home = `{XDG_CONFIG_HOME:-~/.config}/${folder}`;
  return {
    agent,
    fields: FIELDS,
    oldConfigFilePaths: [`${home}/${OLD_FILE}`],
    configFilePaths: config.map((name) => `${home}/${name}`),
    projectConfigFilePaths: project,
    format: 'jsonc',
    mcp: { globalFile: [...config, OLD_FILE].map((name) => `${home}/${name}`), projectFile: project, ...MCP_FORM },
    env: [
      { fields: ['provider'], reference: ENV_REFERENCE, login: true },
      { fields: ['provider.*.env.*'], login: true },
      { reference: ENV_REFERENCE },
      // The file that the user's environment variable points at.
      {
        file: `{${folder.toUpperCase()}_CONFIG:-${home}/${config[0]}}`,
        fields: ['provider'],
        reference: ENV_REFERENCE,
        login: true,
      },
    ],
  };
}

const MCP_FORM: Pick<McpConfigFormat, 'key' | 'encode' | 'decode'> = {
  key: 'mcp',
  encode: nativeServer,
  decode(entry) {
    if (entry.type === 'remote') {
      const url = word(entry.url);
      return url ? { type: 'http', url, ...named('headers', entry.headers) } : null;
    }
    const [command, ...args] = texts(entry.command);
    if (entry.type !== 'local' || command === undefined) return null;
    return { command, ...(args.length > 0 ? { args } : {}), ...named('env', entry.environment) };
  },
};

/** A remote server is tried as HTTP first and then as SSE: both have the same type. */
export function nativeServer(server: McpServer): Record<string, unknown> {
  if ('url' in server) {
    return { type: 'remote', url: server.url, enabled: true, ...(server.headers ? { headers: server.headers } : {}) };
  }
  const command = [server.command, ...(server.args ?? [])];
  return { type: 'local', command, enabled: true, ...(server.env ? { environment: server.env } : {}) };
}

function named<Key extends string>(key: Key, values: unknown): { [name in Key]?: Record<string, string> } {
  if (!isRecord(values)) return {};
  const strings = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const kept: { [name in Key]?: Record<string, string> } = {};
  if (strings.length > 0) kept[key] = Object.fromEntries(strings);
  return kept;
}
