import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { withAccount } from '../shared/account.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { ACCOUNT, AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { GEMINI_ACP } from './dialect.ts';
import { endGemini, parseGeminiLine } from './events.ts';
import { HOOKS } from './hooks.ts';
import { launchGemini } from './launch.ts';
import { MODELS } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { assertDenialHolds } from './policy.ts';
import { SESSION_STORE } from './sessions.ts';
import { spareSession } from './spare-session.ts';
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
  supportsModelSelection: true,
  contextWindow: 1_048_576,
  supportsThinking: true,
  systemPrompt: { replace: 'native', append: 'prefix' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsAllowedTools: true,
  supportsDeniedTools: true,
  supportsAddDirs: true,
  supportsInterrupt: true,
  reportsUsage: true,
};

/** Google's Gemini CLI. */
export const geminiAdapter = defineAdapter({
  agent: 'gemini',
  displayName: 'Gemini CLI',
  cliCommand: 'gemini',
  verifiedVersions: VERIFIED_RELEASES.gemini,
  minVersion: VERIFIED_RELEASES.gemini[0],
  modes: [
    {
      name: 'acp',
      driver: 'acp',
      summary: 'one process, many turns, over the Agent Client Protocol',
      capabilities: {
        ...COMMON,
        execModel: 'interactive',
        supportsThinkingStreaming: true,
        supportsImageInput: true,
        approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
        supportsModelSwitch: true,
        supportsModeSwitch: true,
      },
      // `content` of a shell command is empty, whether it failed or not (0.61.0).
      limitations: ['tool-output-hidden', 'tool-failure-hidden', 'interrupted-turn-forgotten'],
      live: { transport: 'stdio', codec: acpCodec(GEMINI_ACP), waitForSession: true },
    },
    {
      name: 'stream-json',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per turn, the prompt on stdin; no thinking, no approvals',
      capabilities: {
        ...COMMON,
        supportsThinking: false,
        // Servers are in settings only, and a settings file for one run must belong to root.
        supportsMCP: false,
        approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
        reportsRateLimits: true,
      },
      limitations: ['tool-failure-hidden'],
      turnEndIsFinal: true,
    },
  ],
  toolKinds: TOOL_KINDS,
  terminal: TERMINAL,
  models: MODELS,
  defaultModelId: 'auto',
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @google/gemini-cli' },
    { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install gemini-cli' },
  ],
  envAllowList: [
    'GEMINI_*',
    'GOOGLE_API_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_*',
    'GOOGLE_GEMINI_*',
    'GOOGLE_GENAI_*',
    'GOOGLE_VERTEX_*',
  ],
  hostEnvSignals: ['GEMINI_CLI', 'GEMINI_SESSION_ID', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD'],
  authChecks: AUTH_CHECKS,
  authGuidance: AUTH_GUIDANCE,
  detectAuth: async (env, checked) => withAccount(await checked(), ACCOUNT, env),
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  plugins: PLUGINS,
  hooks: HOOKS,
  extensionFolders: EXTENSION_FOLDERS,
  async beforeSpawn(options, env, files) {
    await assertDenialHolds(options, files);
    await spareSession(options, env, files);
  },
  launch: launchGemini,
  parse: parseGeminiLine,
  parseEnd: endGemini,
});
