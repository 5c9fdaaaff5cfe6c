import { defineAdapter } from '@agent-mux/core';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { appServerLive } from './app-server/live.ts';
import { AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { APP_SERVER, EXEC } from './capabilities.ts';
import { parseCodexLine } from './exec/events.ts';
import { HOOKS } from './hooks.ts';
import { launchCodex } from './launch.ts';
import { MODEL_QUERY, MODELS } from './models.ts';
import { CONFIG_SCHEMA } from './native-config.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE } from './sessions/store.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** OpenAI's Codex CLI. */
export const codexAdapter = defineAdapter({
  agent: 'codex',
  displayName: 'Codex',
  cliCommand: 'codex',
  verifiedVersions: VERIFIED_RELEASES.codex,
  minVersion: VERIFIED_RELEASES.codex[0],
  modes: [
    {
      name: 'app-server',
      driver: 'live',
      summary: 'one process, many turns: JSON-RPC on stdio, with approvals, steering and interrupts',
      capabilities: APP_SERVER,
      live: appServerLive(),
      // It exits about 5 s after its stdin is closed (seen with 0.166).
      turnEndIsFinal: true,
    },
    {
      name: 'exec',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per turn, the prompt on stdin; no approvals',
      capabilities: EXEC,
      // It exits about 5 s after its last line (seen with 0.166).
      turnEndIsFinal: true,
    },
  ],
  toolKinds: TOOL_KINDS,
  terminal: TERMINAL,
  models: MODELS,
  defaultModelId: 'gpt-6.1-sol',
  modelQuery: MODEL_QUERY,
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @openai/codex' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://chatgpt.com/codex/install.sh | sh',
      update: 'codex update',
    },
    { type: 'brew', platforms: ['darwin'], command: 'brew install --cask codex' },
  ],
  // Its home, its switches, and the keys of its provider. The variable of another provider comes with the run.
  envAllowList: ['CODEX_*', 'OPENAI_*', 'RUST_LOG'],
  // Environment of a tool shell of 0.166.
  hostEnvSignals: [
    'CODEX_THREAD_ID',
    'CODEX_SESSION_ID',
    'CODEX_TOOL_CALL_ID',
    'CODEX_CI',
    'CODEX_VERSION',
    'CODEX_MANAGED_BY_NPM',
    'CODEX_MANAGED_PACKAGE_ROOT',
    'CODEX_PERMISSION_PROFILE',
    'CODEX_SANDBOX_NETWORK_DISABLED',
  ],
  authChecks: AUTH_CHECKS,
  authGuidance: AUTH_GUIDANCE,
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  plugins: PLUGINS,
  hooks: HOOKS,
  extensionFolders: EXTENSION_FOLDERS,
  launch: launchCodex,
  parse: parseCodexLine,
});
