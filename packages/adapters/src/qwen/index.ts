import { defineAdapter } from '@agent-mux/core';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { LIVE, ONESHOT } from './capabilities.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { parseQwenEnd, parseQwenLine } from './events.ts';
import { HOOKS } from './hooks.ts';
import { launchQwen } from './launch.ts';
import { QWEN_LIVE } from './live.ts';
import { MODEL_QUERY } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** Alibaba's Qwen Code. */
export const qwenAdapter = defineAdapter({
  agent: 'qwen',
  displayName: 'Qwen Code',
  cliCommand: 'qwen',
  verifiedVersions: VERIFIED_RELEASES.qwen,
  minVersion: VERIFIED_RELEASES.qwen[0],
  modes: [
    {
      name: 'live',
      driver: 'live',
      summary: 'one process, many turns: stream-json in and out with the control protocol',
      capabilities: LIVE,
      live: QWEN_LIVE,
    },
    {
      name: 'oneshot',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per turn, the prompt on stdin',
      capabilities: ONESHOT,
      turnEndIsFinal: false,
    },
  ],
  toolKinds: TOOL_KINDS,
  terminal: TERMINAL,
  modelQuery: MODEL_QUERY,
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @qwen-code/qwen-code', notes: 'needs Node 22 or newer' },
    { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install qwen-code' },
  ],
  // Keys, base URLs, homes and switches of the supported providers.
  envAllowList: [
    'QWEN_*',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'OPENAI_MODEL',
    'DASHSCOPE_*',
    'BAILIAN_*',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'GEMINI_API_KEY',
    'GEMINI_MODEL',
    'GOOGLE_API_KEY',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_GENAI_USE_VERTEXAI',
  ],
  // Environment of a tool shell of 0.24.4.
  hostEnvSignals: [
    'QWEN_CODE',
    'QWEN_CODE_SESSION_ID',
    'QWEN_CODE_MODEL',
    'QWEN_CODE_PROMPT_ID',
    'QWEN_CODE_CLI',
    'QWEN_CODE_PROJECT_DIR',
    'QWEN_CODE_AGENT_ID',
    'QWEN_CODE_LAUNCHER_PID',
    'QWEN_CODE_MANAGED_NPM_PIN',
  ],
  authChecks: AUTH_CHECKS,
  authGuidance: AUTH_GUIDANCE,
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  sessionDir,
  plugins: PLUGINS,
  hooks: HOOKS,
  extensionFolders: EXTENSION_FOLDERS,
  launch: launchQwen,
  parse: parseQwenLine,
  parseEnd: (_context, { code }) => parseQwenEnd(code),
});
