import {
  type AgentCapabilities,
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  expandPath,
  type InstallMethod,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
  THINKING_EFFORTS,
} from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { KIMI_ACP } from './dialect.ts';
import { launchKimi } from './launch.ts';

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
];

const HOME = '{KIMI_CODE_HOME:-~/.kimi-code}';

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'KIMI_MODEL_API_KEY', method: 'api_key' },
  { env: 'KIMI_API_KEY', method: 'api_key' },
  { file: `${HOME}/config.toml`, method: 'config_file' },
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
  override readonly installMethods = INSTALL;
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

  override sessionDir(): string {
    return expandPath(`${HOME}/sessions`);
  }
}
