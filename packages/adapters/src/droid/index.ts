import { type AuthCheck, defineAdapter } from '@agent-mux/core';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { EXEC, JSONRPC } from './capabilities.ts';
import { CONFIG_SCHEMA, SETTINGS_FILE } from './config.ts';
import { parseDroidLine } from './events.ts';
import { FACTORY_HOME } from './home.ts';
import { HOOKS } from './hooks.ts';
import { launchDroid } from './launch.ts';
import { jsonRpcLive } from './live.ts';
import { DEFAULT_MODEL, MODEL_QUERY, MODELS } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** A login is in one of these, encrypted; its key may be in the keychain. */
const LOGIN_FILES: readonly string[] = ['auth.v2.keyring', 'auth.v2.loginkeychain', 'auth.v2.file'];

/** Factory's Droid. */
export const droidAdapter = defineAdapter({
  agent: 'droid',
  displayName: 'Droid',
  cliCommand: 'droid',
  verifiedVersions: VERIFIED_RELEASES.droid,
  minVersion: VERIFIED_RELEASES.droid[0],
  modes: [
    {
      name: 'stream-jsonrpc',
      driver: 'live',
      summary: 'one process, many turns: JSON-RPC on stdio, with approvals, questions, steering and interrupts',
      capabilities: JSONRPC,
      live: jsonRpcLive(),
      // It exits some seconds after its stdin is closed (seen with 0.215).
      turnEndIsFinal: true,
    },
    {
      name: 'exec',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per run, the prompt on stdin; no approvals, and only the other mode resumes its session',
      capabilities: EXEC,
      turnEndIsFinal: true,
    },
  ],
  toolKinds: TOOL_KINDS,
  terminal: TERMINAL,
  models: MODELS,
  defaultModelId: DEFAULT_MODEL,
  modelQuery: MODEL_QUERY,
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g droid' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://app.factory.ai/cli | sh',
      update: 'droid update',
    },
  ],
  envAllowList: ['FACTORY_*', 'DROID_*'],
  // Environment of a tool shell of 0.215.
  hostEnvSignals: ['FACTORY_EXEC_TARGET_AUTONOMY', 'FACTORY_DISABLE_SETTINGS_PERSISTENCE'],
  authChecks: [
    { env: 'FACTORY_API_KEY', method: 'api_key' },
    ...LOGIN_FILES.map((name): AuthCheck => ({ file: `${FACTORY_HOME}/${name}`, method: 'browser_login' })),
    { file: SETTINGS_FILE, key: 'customModels', method: 'config_file' },
  ],
  authGuidance: {
    steps: ['Run `droid` once and log in, or set FACTORY_API_KEY, or add a custom model to ~/.factory/settings.json.'],
    methods: [
      { type: 'browser_login', name: 'Factory account', command: 'droid' },
      { type: 'api_key', name: 'API key', envVars: ['FACTORY_API_KEY'] },
      { type: 'config_file', name: 'customModels in ~/.factory/settings.json' },
    ],
    docsUrl: 'https://docs.factory.ai',
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  sessionDir,
  plugins: PLUGINS,
  hooks: HOOKS,
  extensionFolders: EXTENSION_FOLDERS,
  launch: launchDroid,
  parse: parseDroidLine,
});
