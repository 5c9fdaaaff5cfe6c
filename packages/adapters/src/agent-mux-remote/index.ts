import { APPROVAL_MODES, defineAdapter, NO_CAPABILITIES, THINKING_EFFORTS } from '@agent-mux/core';
import { parseRemoteLine } from './events.ts';
import { launchRemote } from './launch.ts';

/** An `amux` elsewhere: `invocation` says where, AMUX_REMOTE_AGENT in `env` which agent it runs there. */
export const agentMuxRemoteAdapter = defineAdapter({
  agent: 'agent-mux-remote',
  displayName: 'agent-mux elsewhere',
  cliCommand: 'amux',
  // All that `amux run` can pass on. What the agent behind it cannot do, the other amux refuses before it starts it.
  modes: [
    {
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
    },
  ],
  installMethods: [{ type: 'npm', platforms: 'all', command: 'npm install -g agent-mux' }],
  envAllowList: ['AMUX_*', 'DEMO_SPEED'],
  authGuidance: {
    steps: ['Log the agent in where it runs, or give its key by env (--env NAME).'],
    methods: [{ type: 'none', name: 'the login of the agent there' }],
  },
  launch: launchRemote,
  parse: (line, { source, adapterState }) => (source === 'stdout' ? parseRemoteLine(line, adapterState) : null),
});
