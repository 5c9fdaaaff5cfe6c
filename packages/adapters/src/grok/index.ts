import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { GROK_ACP } from './dialect.ts';
import { LOGIN } from './errors.ts';
import { endGrok, parseGrokLine } from './events.ts';
import { GROK_HOME } from './home.ts';
import { HOOKS } from './hooks.ts';
import { launchGrok } from './launch.ts';
import { loginEnd, loginIdentity } from './login.ts';
import { DEFAULT_MODEL, MODEL_QUERY, MODELS } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsPlugins: true,
  canResume: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  supportsMultiTurn: true,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  thinkingEfforts: ['minimal', 'low', 'medium', 'high', 'xhigh'],
  supportsModelSelection: true,
  contextWindow: 500_000,
  systemPrompt: { append: 'native', replace: 'native' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsInterrupt: true,
  reportsUsage: true,
  reportsRateLimits: true,
};

/** xAI's Grok Build. */
export const grokAdapter = defineAdapter({
  agent: 'grok',
  displayName: 'Grok Build',
  cliCommand: 'grok',
  verifiedVersions: VERIFIED_RELEASES.grok,
  minVersion: VERIFIED_RELEASES.grok[0],
  modes: [
    {
      name: 'acp',
      driver: 'acp',
      summary: 'one process, many turns, over the Agent Client Protocol',
      capabilities: {
        ...COMMON,
        execModel: 'interactive',
        supportsMCP: true,
        approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
        supportsModelSwitch: true,
      },
      live: { transport: 'stdio', codec: acpCodec(GROK_ACP), waitForSession: true },
    },
    {
      name: 'messages',
      driver: 'oneshot',
      promptDelivery: 'file',
      outputFormat: 'jsonl',
      summary: 'a process per turn; no approvals: rules deny what the approval mode does not allow',
      capabilities: {
        ...COMMON,
        canFork: true,
        supportsToolInputStreaming: true,
        supportsDeniedTools: true,
        supportsMaxTurns: true,
        supportsStructuredOutput: true,
        approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
      },
    },
  ],
  toolKinds: TOOL_KINDS,
  terminal: TERMINAL,
  models: MODELS,
  defaultModelId: DEFAULT_MODEL,
  modelQuery: MODEL_QUERY,
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @xai-official/grok' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://x.ai/cli/install.sh | bash',
      update: 'grok update',
    },
    { type: 'manual', platforms: ['win32'], command: 'irm https://x.ai/cli/install.ps1 | iex' },
  ],
  envAllowList: ['GROK_*', 'XAI_API_KEY', 'RUST_LOG'],
  hostEnvSignals: ['GROK_AGENT', 'GROK_SESSION_ID'],
  authChecks: [
    { env: 'XAI_API_KEY', method: 'api_key' },
    { env: 'GROK_CODE_XAI_API_KEY', method: 'api_key' },
    { file: `${GROK_HOME}/auth.json`, method: 'oauth', identity: loginIdentity, expiresAt: loginEnd },
  ],
  authGuidance: {
    steps: [LOGIN],
    methods: [
      { type: 'browser_login', name: 'xAI account', command: 'grok login' },
      { type: 'oauth_device', name: 'xAI account, from another device', command: 'grok login --device-auth' },
      { type: 'api_key', name: 'xAI API key', envVars: ['XAI_API_KEY'] },
    ],
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  sessionDir,
  plugins: PLUGINS,
  hooks: HOOKS,
  extensionFolders: EXTENSION_FOLDERS,
  launch: launchGrok,
  parse: parseGrokLine,
  parseEnd: endGrok,
});
