import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES, THINKING_EFFORTS } from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { envKeys } from '../shared/env-keys.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { CONFIG_FILE, CONFIG_SCHEMA } from './config.ts';
import { OPENCLAW_ACP } from './dialect.ts';
import { readOpenClawStderr } from './errors.ts';
import { bufferExecLine, endExec } from './events.ts';
import { OPENCLAW_HOME } from './home.ts';
import { launchOpenClaw } from './launch.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsPlugins: true,
  supportsModelSelection: true,
  supportsThinking: true,
  thinkingEfforts: THINKING_EFFORTS,
  systemPrompt: { append: 'prefix' },
  supportsInterrupt: true,
  supportedPlatforms: ['darwin', 'linux'],
};

const PROVIDER_KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'XAI_API_KEY'];

/** OpenClaw. The gateway's default agent answers. */
export const openClawAdapter = defineAdapter({
  agent: 'openclaw',
  displayName: 'OpenClaw',
  cliCommand: 'openclaw',
  verifiedVersions: VERIFIED_RELEASES.openclaw,
  minVersion: VERIFIED_RELEASES.openclaw[0],
  modes: [
    {
      name: 'acp',
      driver: 'acp',
      summary: 'a bridge to a gateway that already runs (`openclaw gateway run`); no thinking, no failure reasons',
      capabilities: {
        ...COMMON,
        canResume: true,
        supportsMultiTurn: true,
        sessionPersistence: 'sqlite',
        nativeSessionIds: true,
        resumeAttach: true,
        execModel: 'interactive',
        supportsTextStreaming: true,
        supportsActivityStreaming: true,
        supportsImageInput: true,
        supportsNativeTools: true,
        supportsParallelToolCalls: true,
        approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
      },
      // If killed, it leaves the gateway running: seen with 2026.9.6, whose tool kept running for a moment.
      live: { transport: 'stdio', codec: acpCodec(OPENCLAW_ACP), waitForSession: true, isBridge: true },
    },
    {
      name: 'exec',
      driver: 'oneshot',
      outputFormat: 'json',
      summary: 'a process with its own state per run, no gateway; output only at the end, no tool calls',
      capabilities: {
        ...COMMON,
        approvalModes: ['yolo'],
        reportsUsage: true,
        reportsCost: true,
        reportsRateLimits: true,
      },
    },
  ],
  toolKinds: TOOL_KINDS,
  installMethods: [
    {
      type: 'npm',
      platforms: 'all',
      command: 'npm install -g openclaw',
      notes: 'needs Node 24.16 or newer, but not 25',
    },
  ],
  envAllowList: ['OPENCLAW_*', ...PROVIDER_KEYS],
  hostEnvSignals: ['OPENCLAW_SHELL', 'OPENCLAW_CLI'],
  authChecks: [
    ...envKeys(PROVIDER_KEYS),
    { file: CONFIG_FILE, key: 'models.providers', method: 'config_file' },
    {
      database: `${OPENCLAW_HOME}/agents/main/agent/openclaw-agent.sqlite`,
      method: 'config_file',
      logins: `SELECT DISTINCT json_extract(profile.value, '$.provider')
      FROM auth_profile_store, json_each(store_json, '$.profiles') AS profile`,
    },
    { unseen: 'the login may be in the database of the agent: `openclaw models status`' },
  ],
  authGuidance: {
    steps: ['Run `openclaw onboard`, then `openclaw gateway run`.'],
    methods: [
      { type: 'config_file', name: 'Provider of OpenClaw', command: 'openclaw onboard' },
      { type: 'api_key', name: 'Provider key', envVars: PROVIDER_KEYS },
    ],
    docsUrl: 'https://docs.openclaw.ai',
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  plugins: PLUGINS,
  extensionFolders: EXTENSION_FOLDERS,
  launch: launchOpenClaw,
  parse: (line, context) =>
    context.options.mode === 'exec' ? bufferExecLine(line, context) : readOpenClawStderr(line),
  parseEnd: (context) => (context.options.mode === 'exec' ? endExec(context) : []),
});
