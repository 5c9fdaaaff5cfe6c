import { defineAdapter } from '@agent-mux/core';
import { ENV_ALLOW_LIST, PROVIDER_KEYS } from '../pi-family/index.ts';
import { envKeys } from '../shared/env-keys.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { JSON_MODE, RPC } from './capabilities.ts';
import { CONFIG_SCHEMA, EXTENSION_FOLDERS } from './config.ts';
import { LOGIN } from './errors.ts';
import { parseOmpLine } from './events.ts';
import { CONFIG_HOME } from './home.ts';
import { HOOKS } from './hooks.ts';
import { launchOmp } from './launch.ts';
import { OMP_LIVE } from './live.ts';
import { MODEL_QUERY } from './models.ts';
import { PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** oh-my-pi, an independent fork of pi. */
export const ompAdapter = defineAdapter({
  agent: 'omp',
  displayName: 'oh-my-pi',
  cliCommand: 'omp',
  verifiedVersions: VERIFIED_RELEASES.omp,
  minVersion: VERIFIED_RELEASES.omp[0],
  modes: [
    {
      name: 'rpc',
      driver: 'live',
      summary: 'one process, many turns: commands, events and approvals as lines of JSON',
      capabilities: RPC,
      live: OMP_LIVE,
    },
    {
      name: 'json',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per turn, the prompt on stdin',
      capabilities: JSON_MODE,
      turnEndIsFinal: false,
    },
  ],
  toolKinds: TOOL_KINDS,
  terminal: TERMINAL,
  modelQuery: MODEL_QUERY,
  installMethods: [
    {
      type: 'npm',
      platforms: 'all',
      command: 'npm install -g @oh-my-pi/pi-coding-agent',
      notes: 'needs bun 1.3.14 or newer on the path',
    },
  ],
  envAllowList: ['OMP_*', ...ENV_ALLOW_LIST],
  // Its tools also see `CLAUDECODE` and `AGENT`, which are not its own.
  hostEnvSignals: ['OMPCODE', 'CLAUDECODE'],
  authChecks: [
    ...envKeys(PROVIDER_KEYS),
    {
      database: `${CONFIG_HOME}/agent.db`,
      method: 'oauth',
      logins: 'SELECT DISTINCT provider FROM auth_credentials WHERE disabled_cause IS NULL ORDER BY provider',
    },
  ],
  authGuidance: {
    steps: [LOGIN],
    methods: [
      { type: 'oauth', name: 'Subscription', command: 'omp, then /login' },
      { type: 'api_key', name: 'API key', envVars: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] },
    ],
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  sessionDir,
  plugins: PLUGINS,
  extensionFolders: EXTENSION_FOLDERS,
  hooks: HOOKS,
  launch: launchOmp,
  parse: parseOmpLine,
});
