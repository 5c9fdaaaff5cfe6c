/**
 * Differences between the members of the family; everything else is shared code. Seen with opencode 1.18.33 and kilo
 * 7.7.7.
 */
export interface FamilyDialect {
  /** The server is external: MCP servers are added to it while it runs. */
  attached?: boolean;
  agent: string;
  displayName: string;
  command: string;
  /** `PREFIX_CONFIG`, `PREFIX_PERMISSION`, `PREFIX_SERVER_PASSWORD`, ... */
  envPrefix: string;
  /** Package that the CLI installs next to plugins. */
  pluginPackage: string;
  /** User name of the server's HTTP Basic authentication. */
  serverUser: string;
  /** The line of stdout that names the URL. */
  listening: RegExp;
  /** The default agent; one of the CLI's own, not of ours. */
  defaultAgent: string;
  planAgent: string;
  /** Environment variables that a launch sets unless the user has. */
  launchDefaults: Readonly<Record<string, string>>;
  /** Fields of every prompt. */
  promptDefaults: Readonly<Record<string, unknown>>;
}

export const OPENCODE_DIALECT: FamilyDialect = {
  agent: 'opencode',
  displayName: 'OpenCode',
  command: 'opencode',
  envPrefix: 'OPENCODE',
  pluginPackage: '@opencode-ai/plugin',
  serverUser: 'opencode',
  listening: /^opencode server listening on (\S+)/,
  defaultAgent: 'build',
  planAgent: 'plan',
  launchDefaults: {},
  promptDefaults: {},
};

export const KILO_DIALECT: FamilyDialect = {
  agent: 'kilo',
  displayName: 'Kilo Code',
  command: 'kilo',
  envPrefix: 'KILO',
  pluginPackage: '@kilocode/plugin',
  serverUser: 'kilo',
  listening: /^kilo server listening on (\S+)/,
  defaultAgent: 'code',
  planAgent: 'plan',
  // Without a limit it was still retrying a failing model after minutes; opencode gives up after five.
  launchDefaults: { KILO_SESSION_RETRY_LIMIT: '5' },
  // If a snapshot of the folder takes ten seconds, it asks its user what to do, and might get no answer.
  promptDefaults: { snapshotInitialization: 'wait' },
};
