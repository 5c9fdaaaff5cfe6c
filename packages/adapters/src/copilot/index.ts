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
  THINKING_EFFORTS,
} from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { COPILOT_ACP } from './dialect.ts';
import { parseCopilotLine } from './events.ts';
import { launchCopilot } from './launch.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  supportsMultiTurn: true,
  supportsTextStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  supportsModelSelection: true,
  systemPrompt: { append: 'prefix' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsInterrupt: true,
};

const MODES: readonly AgentMode[] = [
  {
    name: 'acp',
    driver: 'acp',
    summary: 'one process, many turns, over the Agent Client Protocol',
    // Its flags for tools, folders and effort have no effect here (1.0.102).
    capabilities: {
      ...COMMON,
      execModel: 'interactive',
      supportsImageInput: true,
      approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
      reportsUsage: true,
    },
    live: { transport: 'stdio', codec: acpCodec(COPILOT_ACP), sessionFirst: true },
  },
  {
    name: 'json',
    driver: 'oneshot',
    summary: 'a process per turn, the prompt on stdin; nobody can be asked and no tokens are reported',
    capabilities: {
      ...COMMON,
      thinkingEfforts: THINKING_EFFORTS,
      supportsToolInputStreaming: true,
      supportsAllowedTools: true,
      supportsDeniedTools: true,
      supportsAddDirs: true,
      approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
    },
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @github/copilot' },
];

const HOME = '{COPILOT_HOME:-~/.copilot}';

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'COPILOT_GITHUB_TOKEN', method: 'github_token' },
  { env: 'GH_TOKEN', method: 'github_token' },
  { env: 'GITHUB_TOKEN', method: 'github_token' },
  { env: 'COPILOT_PROVIDER_BASE_URL', method: 'api_key' },
  { unseen: 'the login may be in the system keychain' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `copilot login`, or set COPILOT_GITHUB_TOKEN.'],
  methods: [
    { type: 'oauth_device', name: 'GitHub account', command: 'copilot login' },
    { type: 'github_token', name: 'GitHub token', envVars: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'] },
    {
      type: 'api_key',
      name: 'Own provider',
      envVars: ['COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_API_KEY', 'COPILOT_MODEL'],
    },
  ],
};

/** GitHub's Copilot CLI; not the retired `gh` extension. */
export class CopilotAdapter extends BaseAgentAdapter {
  readonly agent: string = 'copilot';
  readonly displayName: string = 'GitHub Copilot CLI';
  readonly cliCommand: string = 'copilot';
  override readonly provenVersions = ['1.0.102'];
  override readonly modes = MODES;
  override readonly installMethods = INSTALL;
  override readonly envAllowList: readonly string[] = ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'];
  override readonly hostEnvSignals = ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI_BINARY_VERSION'];
  override readonly configSchema = {
    agent: 'copilot',
    fields: [{ name: 'model', type: 'string' as const, description: 'the model', nativePath: 'model' }],
    configFilePaths: [`${HOME}/settings.json`],
    projectConfigFilePaths: ['.github/copilot/settings.json'],
    format: 'jsonc' as const,
  };
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchCopilot(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    const events = parseCopilotLine(line, context);
    if (events?.some(({ type }) => type === 'auth_error' || type === 'error' || type === 'context_exceeded'))
      context.adapterState.failed = true;
    return events;
  }

  override sessionDir(): string {
    return expandPath(`${HOME}/session-state`);
  }
}
