import { defineAdapter } from '@agent-mux/core';
import { withAccount } from '../shared/account.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { ACCOUNT, AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { LIVE, ONESHOT } from './capabilities.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { parseClaudeLine } from './events.ts';
import { HOOKS } from './hooks.ts';
import { launchClaude } from './launch.ts';
import { CLAUDE_LIVE } from './live.ts';
import { MODEL_QUERY, MODELS } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';
import { QUOTA_QUERY } from './usage.ts';

/** Anthropic's Claude Code. */
export const claudeAdapter = defineAdapter({
  agent: 'claude',
  displayName: 'Claude Code',
  cliCommand: 'claude',
  verifiedVersions: VERIFIED_RELEASES.claude,
  minVersion: VERIFIED_RELEASES.claude[0],
  modes: [
    {
      name: 'live',
      driver: 'live',
      summary: 'one process, many turns: stream-json in and out with the control protocol',
      capabilities: LIVE,
      live: CLAUDE_LIVE,
    },
    {
      name: 'oneshot',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per turn, the prompt on stdin',
      capabilities: ONESHOT,
      // A finished background task starts another native turn in the same process: the first result is not the end.
      turnEndIsFinal: false,
    },
  ],
  toolKinds: TOOL_KINDS,
  terminal: TERMINAL,
  models: MODELS,
  defaultModelId: 'claude-opus-5-5',
  modelQuery: MODEL_QUERY,
  quotaQuery: QUOTA_QUERY,
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @anthropic-ai/claude-code' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://claude.ai/install.sh | bash',
      update: 'claude update',
    },
    { type: 'brew', platforms: ['darwin'], command: 'brew install --cask claude-code' },
    { type: 'winget', platforms: ['win32'], command: 'winget install --id Anthropic.ClaudeCode' },
  ],
  // Keys, base URLs, homes and switches. For cloud providers only what names an account, not the host's secrets.
  envAllowList: [
    'ANTHROPIC_*',
    'CLAUDE_CODE_*',
    'CLAUDE_CONFIG_DIR',
    'DISABLE_*',
    'IS_SANDBOX',
    'API_TIMEOUT_MS',
    'BASH_DEFAULT_TIMEOUT_MS',
    'BASH_MAX_TIMEOUT_MS',
    'BASH_MAX_OUTPUT_LENGTH',
    'MAX_THINKING_TOKENS',
    'MAX_MCP_OUTPUT_TOKENS',
    'MCP_TIMEOUT',
    'MCP_TOOL_TIMEOUT',
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_PROFILE',
    'AWS_REGION',
    'CLOUD_ML_REGION',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_PROJECT',
    'VERTEX_REGION_*',
  ],
  // Environment of a tool shell of 2.1.325; the messaging token is a secret of the parent.
  hostEnvSignals: [
    'CLAUDECODE',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_CODE_CHILD_SESSION',
    'CLAUDE_CODE_ENTRYPOINT',
    'CLAUDE_CODE_EXECPATH',
    'CLAUDE_CODE_SESSION_ATTENDED',
    'CLAUDE_CODE_MESSAGING_SOCKET',
    'CLAUDE_CODE_MESSAGING_TOKEN',
    'CLAUDE_EFFORT',
    'CLAUDE_PID',
  ],
  authChecks: AUTH_CHECKS,
  authGuidance: AUTH_GUIDANCE,
  // A token of the environment may belong to another account.
  detectAuth: async (env, checked) =>
    env.CLAUDE_CODE_OAUTH_TOKEN ? checked() : withAccount(await checked(), ACCOUNT, env),
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  sessionDir,
  plugins: PLUGINS,
  hooks: HOOKS,
  extensionFolders: EXTENSION_FOLDERS,
  launch: launchClaude,
  parse: parseClaudeLine,
});
