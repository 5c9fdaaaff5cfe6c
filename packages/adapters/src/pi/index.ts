import { type AuthCheck, defineAdapter } from '@agent-mux/core';
import { ENV_ALLOW_LIST, PROVIDER_KEYS } from '../pi-family/index.ts';
import { envKeys } from '../shared/env-keys.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { JSON_MODE, RPC } from './capabilities.ts';
import { CONFIG_SCHEMA, EXTENSION_FOLDERS } from './config.ts';
import { LOGIN } from './errors.ts';
import { parsePiLine } from './events.ts';
import { CONFIG_HOME } from './home.ts';
import { HOOKS } from './hooks.ts';
import { launchPi } from './launch.ts';
import { PI_LIVE } from './live.ts';
import { MODEL_QUERY } from './models.ts';
import { PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const LOGIN_PROVIDERS: readonly string[] = [
  'anthropic',
  'openai',
  'openai-codex',
  'github-copilot',
  'google',
  'openrouter',
  'xai',
  'groq',
  'deepseek',
  'mistral',
  'zai',
];

/** pi, by Earendil. */
export const piAdapter = defineAdapter({
  agent: 'pi',
  displayName: 'pi',
  cliCommand: 'pi',
  verifiedVersions: VERIFIED_RELEASES.pi,
  minVersion: VERIFIED_RELEASES.pi[0],
  modes: [
    {
      name: 'rpc',
      driver: 'live',
      summary: 'one process, many turns: commands and events as lines of JSON, approvals through an extension',
      capabilities: RPC,
      live: PI_LIVE,
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
    { type: 'npm', platforms: 'all', command: 'npm install -g --ignore-scripts @earendil-works/pi-coding-agent' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://pi.dev/install.sh | sh',
      update: 'pi update pi',
    },
  ],
  envAllowList: ENV_ALLOW_LIST,
  // Environment of a tool shell of 0.87.1; `PI_PROVIDER` and similar variables would name the parent's model.
  hostEnvSignals: [
    'PI_CODING_AGENT',
    'PI_SESSION_ID',
    'PI_SESSION_FILE',
    'PI_PROVIDER',
    'PI_MODEL',
    'PI_REASONING_LEVEL',
  ],
  // The login file exists without a login, and lists them by provider; pi itself renews an expired account. A key may
  // also be in the list of models.
  authChecks: [
    ...envKeys(PROVIDER_KEYS),
    ...LOGIN_PROVIDERS.flatMap((provider): AuthCheck[] => [
      { file: `${CONFIG_HOME}/auth.json`, key: `${provider}.refresh`, method: 'oauth' },
      { file: `${CONFIG_HOME}/auth.json`, key: `${provider}.key`, method: 'api_key' },
    ]),
    { file: `${CONFIG_HOME}/models.json`, key: 'providers', method: 'config_file' },
  ],
  authGuidance: {
    steps: [LOGIN],
    methods: [
      { type: 'oauth', name: 'Subscription', command: 'pi, then /login' },
      { type: 'api_key', name: 'API key', envVars: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] },
    ],
    docsUrl: 'https://pi.dev/docs',
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  sessionDir,
  plugins: PLUGINS,
  extensionFolders: EXTENSION_FOLDERS,
  hooks: HOOKS,
  launch: launchPi,
  parse: parsePiLine,
});
