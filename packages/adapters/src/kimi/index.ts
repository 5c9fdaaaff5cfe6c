import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES, THINKING_EFFORTS } from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { CONFIG_FILE, CONFIG_SCHEMA } from './config.ts';
import { KIMI_ACP } from './dialect.ts';
import { KIMI_HOME } from './home.ts';
import { launchKimi } from './launch.ts';
import { MODEL_QUERY } from './models.ts';
import { SESSION_STORE } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  canFork: true,
  supportsMultiTurn: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  execModel: 'interactive',
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  thinkingEfforts: THINKING_EFFORTS,
  supportsModelSelection: true,
  supportsModelSwitch: true,
  supportsModeSwitch: true,
  systemPrompt: { append: 'prefix' },
  supportsImageInput: true,
  supportsFileAttachments: true,
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsQuestions: true,
  supportsInterrupt: true,
};

/** Moonshot's Kimi Code CLI; the npm package `kimi-code` is another product. */
export const kimiAdapter = defineAdapter({
  agent: 'kimi',
  displayName: 'Kimi Code',
  cliCommand: 'kimi',
  verifiedVersions: VERIFIED_RELEASES.kimi,
  minVersion: VERIFIED_RELEASES.kimi[0],
  modes: [
    {
      name: 'acp',
      driver: 'acp',
      summary: 'one process, many turns, over the Agent Client Protocol; no tokens are reported',
      capabilities: CAPABILITIES,
      live: { transport: 'stdio', codec: acpCodec(KIMI_ACP), waitForSession: true },
    },
  ],
  toolKinds: TOOL_KINDS,
  modelQuery: MODEL_QUERY,
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @moonshot-ai/kimi-code' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://code.kimi.com/kimi-code/install.sh | bash',
      update: 'kimi upgrade',
    },
    { type: 'manual', platforms: ['win32'], command: 'irm https://code.kimi.com/kimi-code/install.ps1 | iex' },
  ],
  envAllowList: ['KIMI_*'],
  authChecks: [
    { env: 'KIMI_MODEL_API_KEY', method: 'api_key' },
    { env: 'KIMI_API_KEY', method: 'api_key' },
    // Renewed automatically: its expiry does not matter.
    { file: `${KIMI_HOME}/credentials/kimi-code.json`, key: 'access_token', method: 'oauth' },
    { file: CONFIG_FILE, key: 'providers', method: 'config_file', format: 'toml' },
  ],
  authGuidance: {
    steps: ['Run `kimi login`, or set KIMI_MODEL_NAME and KIMI_MODEL_API_KEY.'],
    methods: [
      { type: 'oauth_device', name: 'Kimi account', command: 'kimi login' },
      {
        type: 'api_key',
        name: 'Own provider',
        envVars: ['KIMI_MODEL_NAME', 'KIMI_MODEL_API_KEY', 'KIMI_MODEL_BASE_URL', 'KIMI_MODEL_PROVIDER_TYPE'],
      },
    ],
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  extensionFolders: {
    skills: { global: `${KIMI_HOME}/skills`, project: '.kimi-code/skills' },
    subagents: { global: `${KIMI_HOME}/agents`, project: '.kimi-code/agents' },
  },
  launch: launchKimi,
});
