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
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { GOOSE_ACP } from './dialect.ts';
import { parseGooseLine } from './events.ts';
import { launchGoose } from './launch.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  supportsMultiTurn: true,
  sessionPersistence: 'sqlite',
  nativeSessionIds: true,
  resumeAttach: true,
  supportsTextStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  supportsModelSelection: true,
  systemPrompt: { append: 'prefix' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsInterrupt: true,
};

const MODES: readonly AgentMode[] = [
  {
    name: 'acp',
    driver: 'acp',
    summary: 'one process, many turns, over the Agent Client Protocol; no tokens are reported',
    capabilities: {
      ...COMMON,
      canFork: true,
      execModel: 'interactive',
      supportsImageInput: true,
      supportsFileAttachments: true,
      supportsMCP: true,
      approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
      supportsModelSwitch: true,
      supportsModeSwitch: true,
    },
    live: { transport: 'stdio', codec: acpCodec(GOOSE_ACP), sessionFirst: true },
    // It stays when its stdin is closed.
    turnEndIsFinal: true,
  },
  {
    name: 'run',
    driver: 'oneshot',
    summary: 'a process per turn, the prompt on stdin; nobody can be asked, so that tools run all or not at all',
    capabilities: {
      ...COMMON,
      systemPrompt: { append: 'native', replace: 'native' },
      supportsMaxTurns: true,
      approvalModes: ['plan', 'deny', 'yolo'],
      reportsUsage: true,
    },
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @aaif/goose' },
  { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install block-goose-cli' },
];

const CONFIG = '{XDG_CONFIG_HOME:-~/.config}/goose/config.yaml';

/** Providers that goose knows by an environment variable; there are many more, each with its own. */
const PROVIDER_KEYS: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'DATABRICKS_TOKEN',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'LITELLM_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'XAI_API_KEY',
];

const AUTH_CHECKS: readonly AuthCheck[] = [
  ...PROVIDER_KEYS.map((env): AuthCheck => ({ env, method: 'api_key' })),
  { file: CONFIG, method: 'config_file' },
  { unseen: 'keys may be in the system keychain' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `goose configure`, or set GOOSE_PROVIDER, GOOSE_MODEL and the key of the provider.'],
  methods: [
    { type: 'config_file', name: 'Provider of goose', command: 'goose configure' },
    { type: 'api_key', name: 'Provider key', envVars: ['GOOSE_PROVIDER', 'GOOSE_MODEL', ...PROVIDER_KEYS] },
  ],
};

/** The goose CLI. */
export class GooseAdapter extends BaseAgentAdapter {
  readonly agent = 'goose';
  readonly displayName = 'goose';
  readonly cliCommand = 'goose';
  override readonly provenVersions = ['1.34.0'];
  override readonly modes = MODES;
  override readonly installMethods = INSTALL;
  override readonly envAllowList = [
    'GOOSE_*',
    'OPENAI_*',
    'ANTHROPIC_*',
    'OLLAMA_*',
    'DATABRICKS_*',
    'AZURE_OPENAI_*',
    'CLAUDE_THINKING_*',
    'AWS_PROFILE',
    'AWS_REGION',
    'GCP_PROJECT_ID',
    'GCP_LOCATION',
    'GOOGLE_APPLICATION_CREDENTIALS',
    ...PROVIDER_KEYS,
  ];
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchGoose(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    return context.options.mode === 'run' ? parseGooseLine(line, context) : null;
  }

  /** One database for all sessions. */
  override sessionDir(): string {
    return expandPath('{XDG_DATA_HOME:-~/.local/share}/goose/sessions');
  }
}
