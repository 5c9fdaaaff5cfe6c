import type { AgentCapabilities } from '@agent-mux/core';

interface Label {
  group: string;
  /** Human-readable label. */
  label: string;
}

/** A property of the mode, not of the capability record; shown after the system prompt. */
export const DELIVERY_LABEL = 'prompt delivery';

/** Every field of the capability record, in the order and with the labels of `amux capabilities` and docs/agents.md. */
export const CAPABILITY_LABELS: Readonly<Record<keyof AgentCapabilities, Label>> = {
  canResume: { group: 'Sessions', label: 'resume by id' },
  canFork: { group: 'Sessions', label: 'fork' },
  canRunWithoutSession: { group: 'Sessions', label: 'run without a stored session' },
  supportsMultiTurn: { group: 'Sessions', label: 'multiple turns per run' },
  sessionPersistence: { group: 'Sessions', label: 'session storage' },
  nativeSessionIds: { group: 'Sessions', label: 'native session ids' },
  turnCompletion: { group: 'Sessions', label: 'reports the end of a turn' },
  resumeAttach: { group: 'Sessions', label: 'attach by resume' },
  execModel: { group: 'Sessions', label: 'execution model' },
  supportsTextStreaming: { group: 'Streaming', label: 'text' },
  supportsActivityStreaming: { group: 'Streaming', label: 'activity' },
  supportsThinkingStreaming: { group: 'Streaming', label: 'thinking' },
  supportsToolInputStreaming: { group: 'Streaming', label: 'tool input' },
  supportsModelSelection: { group: 'Model and thinking', label: 'model selection' },
  contextWindow: { group: 'Model and thinking', label: 'context window of the default model' },
  supportsThinking: { group: 'Model and thinking', label: 'thinking' },
  thinkingEfforts: { group: 'Model and thinking', label: 'effort' },
  supportsThinkingBudgetTokens: { group: 'Model and thinking', label: 'token budget' },
  supportsThinkingOverride: { group: 'Model and thinking', label: 'native settings' },
  systemPrompt: { group: 'Prompt', label: 'system prompt' },
  supportsImageInput: { group: 'Prompt', label: 'images' },
  supportsFileAttachments: { group: 'Prompt', label: 'files' },
  supportsStructuredOutput: { group: 'Prompt', label: 'structured output' },
  supportsNativeTools: { group: 'Tools', label: 'built-in tools' },
  supportsParallelToolCalls: { group: 'Tools', label: 'parallel calls' },
  supportsMCP: { group: 'Tools', label: 'MCP servers' },
  supportsAllowedTools: { group: 'Tools', label: 'allowed tools' },
  supportsDeniedTools: { group: 'Tools', label: 'denied tools' },
  supportsAddDirs: { group: 'Tools', label: 'additional folders' },
  supportsMaxTurns: { group: 'Tools', label: 'maximum agent turns' },
  supportsSkills: { group: 'Tools', label: 'skills' },
  supportsSubagents: { group: 'Tools', label: 'subagents' },
  supportsPlugins: { group: 'Tools', label: 'plugins' },
  approvalModes: { group: 'Approvals and steering', label: 'approval modes' },
  supportsQuestions: { group: 'Approvals and steering', label: 'questions to the user' },
  supportsInterrupt: { group: 'Approvals and steering', label: 'interrupt' },
  supportsSteer: { group: 'Approvals and steering', label: 'steer' },
  supportsModelSwitch: { group: 'Approvals and steering', label: 'change the model during a run' },
  supportsModeSwitch: { group: 'Approvals and steering', label: 'change the approval mode during a run' },
  reportsUsage: { group: 'Reporting', label: 'tokens' },
  reportsCost: { group: 'Reporting', label: 'cost' },
  reportsRateLimits: { group: 'Reporting', label: 'rate limits' },
  supportedPlatforms: { group: 'Environment', label: 'platforms' },
  requiresPty: { group: 'Environment', label: 'requires a terminal' },
  requiresGitRepo: { group: 'Environment', label: 'requires a git repository' },
};
