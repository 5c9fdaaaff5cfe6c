import {
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  type InstallMethod,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { EXEC, JSONRPC } from './capabilities.ts';
import { CONFIG_SCHEMA, SETTINGS_FILE } from './config.ts';
import { parseDroidLine } from './events.ts';
import { FACTORY_HOME } from './home.ts';
import { launchDroid } from './launch.ts';
import { jsonRpcLive } from './live.ts';
import { DEFAULT_MODEL, MODEL_QUERY, MODELS } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const MODES: readonly AgentMode[] = [
  {
    name: 'stream-jsonrpc',
    driver: 'live',
    summary: 'one process, many turns: JSON-RPC on stdio, with approvals, questions, steering and interrupts',
    capabilities: JSONRPC,
    live: jsonRpcLive(),
    // It leaves some seconds after its stdin was closed (seen with 0.215).
    turnEndIsFinal: true,
  },
  {
    name: 'exec',
    driver: 'oneshot',
    outputFormat: 'jsonl',
    summary: 'a process per run, the prompt on stdin; it cannot ask, and its session is resumed in the other mode',
    capabilities: EXEC,
    turnEndIsFinal: true,
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g droid' },
  {
    type: 'curl',
    platforms: ['darwin', 'linux'],
    command: 'curl -fsSL https://app.factory.ai/cli | sh',
    update: 'droid update',
  },
];

/** A login is in one of these, encrypted; the key to it may be in the keychain. */
const LOGIN_FILES: readonly string[] = ['auth.v2.keyring', 'auth.v2.loginkeychain', 'auth.v2.file'];

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'FACTORY_API_KEY', method: 'api_key' },
  ...LOGIN_FILES.map((name): AuthCheck => ({ file: `${FACTORY_HOME}/${name}`, method: 'browser_login' })),
  { file: SETTINGS_FILE, key: 'customModels', method: 'config_file' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [
    'Run `droid` once and log in, or set FACTORY_API_KEY, or name a model of your own in ~/.factory/settings.json.',
  ],
  methods: [
    { type: 'browser_login', name: 'Factory account', command: 'droid' },
    { type: 'api_key', name: 'API key', envVars: ['FACTORY_API_KEY'] },
    { type: 'config_file', name: 'customModels in ~/.factory/settings.json' },
  ],
  docsUrl: 'https://docs.factory.ai',
};

/** Factory's Droid. */
export class DroidAdapter extends BaseAgentAdapter {
  readonly agent: string = 'droid';
  readonly displayName: string = 'Droid';
  readonly cliCommand: string = 'droid';
  override readonly provenVersions = ['0.215.0'];
  override readonly modes = MODES;
  override readonly toolKinds = TOOL_KINDS;
  override readonly installMethods = INSTALL;
  override readonly envAllowList: readonly string[] = ['FACTORY_*', 'DROID_*'];
  /** What a tool shell of 0.215 has. */
  override readonly hostEnvSignals: readonly string[] = [
    'FACTORY_EXEC_TARGET_AUTONOMY',
    'FACTORY_DISABLE_SETTINGS_PERSISTENCE',
  ];
  override readonly models = MODELS;
  override readonly defaultModelId = DEFAULT_MODEL;
  override readonly modelQuery = MODEL_QUERY;
  override readonly configSchema = CONFIG_SCHEMA;
  override readonly sessionStore = SESSION_STORE;
  override readonly plugins = PLUGINS;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchDroid(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return parseDroidLine(line, context);
  }

  override sessionDir(cwd?: string): string {
    return sessionDir(cwd);
  }
}
