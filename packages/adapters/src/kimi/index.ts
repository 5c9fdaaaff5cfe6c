import {
  type AgentCapabilities,
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  type ExtensionFolders,
  type InstallMethod,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
  THINKING_EFFORTS,
} from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
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

const MODES: readonly AgentMode[] = [
  {
    name: 'acp',
    driver: 'acp',
    summary: 'one process, many turns, over the Agent Client Protocol; no tokens are reported',
    capabilities: CAPABILITIES,
    live: { transport: 'stdio', codec: acpCodec(KIMI_ACP), sessionFirst: true },
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @moonshot-ai/kimi-code' },
  {
    type: 'curl',
    platforms: ['darwin', 'linux'],
    command: 'curl -fsSL https://code.kimi.com/kimi-code/install.sh | bash',
    update: 'kimi upgrade',
  },
  { type: 'manual', platforms: ['win32'], command: 'irm https://code.kimi.com/kimi-code/install.ps1 | iex' },
];

const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${KIMI_HOME}/skills`, project: '.kimi-code/skills' },
  subagents: { global: `${KIMI_HOME}/agents`, project: '.kimi-code/agents' },
};

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'KIMI_MODEL_API_KEY', method: 'api_key' },
  { env: 'KIMI_API_KEY', method: 'api_key' },
  // Renewed by itself: when it ends does not matter.
  { file: `${KIMI_HOME}/credentials/kimi-code.json`, key: 'access_token', method: 'oauth' },
  { file: CONFIG_FILE, key: 'providers', method: 'config_file', format: 'toml' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `kimi login`, or set KIMI_MODEL_NAME and KIMI_MODEL_API_KEY.'],
  methods: [
    { type: 'oauth_device', name: 'Kimi account', command: 'kimi login' },
    {
      type: 'api_key',
      name: 'Own provider',
      envVars: ['KIMI_MODEL_NAME', 'KIMI_MODEL_API_KEY', 'KIMI_MODEL_BASE_URL', 'KIMI_MODEL_PROVIDER_TYPE'],
    },
  ],
};

/** Moonshot's Kimi Code CLI; the npm package `kimi-code` is somebody else's. */
export class KimiAdapter extends BaseAgentAdapter {
  readonly agent = 'kimi';
  readonly displayName = 'Kimi Code';
  readonly cliCommand = 'kimi';
  override readonly provenVersions = ['2.1.0'];
  override readonly modes = MODES;
  override readonly toolKinds = TOOL_KINDS;
  override readonly modelQuery = MODEL_QUERY;
  override readonly installMethods = INSTALL;
  override readonly configSchema = CONFIG_SCHEMA;
  override readonly sessionStore = SESSION_STORE;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  override readonly envAllowList = ['KIMI_*'];
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchKimi(options);
  }

  /** Nothing that it writes to stderr is of use. */
  parseEvent(): EventBody[] | null {
    return null;
  }
}
