import {
  type AgentMode,
  APPROVAL_MODES,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  type InstallMethod,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
  THINKING_EFFORTS,
} from '@agent-mux/core';
import { parseRemoteLine } from './events.ts';
import { launchRemote } from './launch.ts';

/** All that `amux run` can pass on. What the agent behind it cannot do, the other amux refuses before it starts it. */
const RUN: AgentMode = {
  name: 'run',
  driver: 'oneshot',
  outputFormat: 'jsonl',
  summary: 'another amux, its events unchanged; nobody can be asked there',
  passthrough: true,
  capabilities: {
    ...NO_CAPABILITIES,
    canResume: true,
    canFork: true,
    canRunWithoutSession: true,
    sessionPersistence: 'remote',
    nativeSessionIds: true,
    supportsTextStreaming: true,
    supportsActivityStreaming: true,
    supportsThinkingStreaming: true,
    supportsToolInputStreaming: true,
    supportsModelSelection: true,
    supportsThinking: true,
    thinkingEfforts: THINKING_EFFORTS,
    supportsThinkingBudgetTokens: true,
    supportsThinkingOverride: true,
    systemPrompt: { append: 'native', prepend: 'native', replace: 'native' },
    supportsImageInput: true,
    supportsFileAttachments: true,
    supportsStructuredOutput: true,
    supportsNativeTools: true,
    supportsParallelToolCalls: true,
    supportsMCP: true,
    supportsAllowedTools: true,
    supportsDeniedTools: true,
    supportsAddDirs: true,
    supportsMaxTurns: true,
    supportsSkills: true,
    supportsSubagents: true,
    approvalModes: APPROVAL_MODES.filter((mode) => mode !== 'prompt'),
    supportsInterrupt: true,
    reportsUsage: true,
    reportsCost: true,
    reportsRateLimits: true,
  },
};

/** An `amux` elsewhere: `invocation` says where, AMUX_REMOTE_AGENT in `env` which agent it runs there. */
export class AgentMuxRemoteAdapter extends BaseAgentAdapter {
  readonly agent = 'agent-mux-remote';
  readonly displayName = 'agent-mux elsewhere';
  readonly cliCommand = 'amux';
  override readonly modes: readonly AgentMode[] = [RUN];
  override readonly envAllowList: readonly string[] = ['AMUX_*', 'DEMO_SPEED'];
  override readonly installMethods: readonly InstallMethod[] = [
    { type: 'npm', platforms: 'all', command: 'npm install -g agent-mux' },
  ];
  protected override readonly authGuidance: Omit<AuthSetupGuidance, 'agent'> = {
    steps: ['Log the agent in where it runs, or give its key by env (--env NAME).'],
    methods: [{ type: 'none', name: 'the login of the agent there' }],
  };

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchRemote(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return context.source === 'stdout' ? parseRemoteLine(line, context.adapterState) : null;
  }
}
