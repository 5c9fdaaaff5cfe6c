import { APPROVAL_MODES, defineAdapter, NO_CAPABILITIES, THINKING_EFFORTS } from '@agent-mux/core';
import { parseRemoteLine } from './events.ts';
import { launchRemote } from './launch.ts';

/** An `amux` on another host: `invocation` says where, AMUX_REMOTE_AGENT in `env` which agent it runs there. */
export const agentMuxRemoteAdapter = defineAdapter({
  agent: 'agent-mux-remote',
  displayName: 'Remote agent-mux',
  cliCommand: 'amux',
  // Everything `amux run` can pass on. The other amux refuses what its agent cannot do before it starts it.
  modes: [
    {
      name: 'run',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'another amux with its events unchanged; no approvals or questions',
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
    },
  ],
  installMethods: [{ type: 'npm', platforms: 'all', command: 'npm install -g agent-mux' }],
  envAllowList: ['AMUX_*', 'DEMO_SPEED'],
  authGuidance: {
    steps: ['Log in to the agent on the remote host, or pass its key with --env NAME.'],
    methods: [{ type: 'none', name: 'login on the remote host' }],
  },
  launch: launchRemote,
  parse: (line, { source, adapterState }) => (source === 'stdout' ? parseRemoteLine(line, adapterState) : null),
});
