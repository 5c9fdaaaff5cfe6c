import type { AgentCapabilities } from '@agent-mux/core';

interface Label {
  group: string;
  /** What a reader calls it. */
  label: string;
}

/** Of a mode, not of the capability record; shown after the system prompt. */
export const DELIVERY_LABEL = 'prompt is passed by';

/** Every field of the capability record, in the order and the words of `amux capabilities` and docs/agents.md. */
export const CAPABILITY_LABELS: Readonly<Record<keyof AgentCapabilities, Label>> = {
  canResume: { group: 'Sessions', label: 'resume by id' },
  canFork: { group: 'Sessions', label: 'fork' },
  canRunWithoutSession: { group: 'Sessions', label: 'leave no session behind' },
  supportsMultiTurn: { group: 'Sessions', label: 'several turns in a run' },
  sessionPersistence: { group: 'Sessions', label: 'sessions are kept in' },
  nativeSessionIds: { group: 'Sessions', label: 'native session ids' },
  turnCompletion: { group: 'Sessions', label: 'says when a turn is over' },
  resumeAttach: { group: 'Sessions', label: 'attach by resume' },
  execModel: { group: 'Sessions', label: 'how a message becomes work' },
  supportsTextStreaming: { group: 'Streaming', label: 'text' },
  supportsActivityStreaming: { group: 'Streaming', label: 'what it does, as it happens' },
  supportsThinkingStreaming: { group: 'Streaming', label: 'thinking' },
  supportsToolInputStreaming: { group: 'Streaming', label: 'tool input' },
  supportsModelSelection: { group: 'Model and thinking', label: 'choose the model' },
  contextWindow: { group: 'Model and thinking', label: 'context window of the default model' },
  supportsThinking: { group: 'Model and thinking', label: 'thinking' },
  thinkingEfforts: { group: 'Model and thinking', label: 'effort' },
  supportsThinkingBudgetTokens: { group: 'Model and thinking', label: 'budget in tokens' },
  supportsThinkingOverride: { group: 'Model and thinking', label: 'native settings' },
  systemPrompt: { group: 'Prompt', label: 'system prompt' },
  supportsImageInput: { group: 'Prompt', label: 'pictures' },
  supportsFileAttachments: { group: 'Prompt', label: 'files' },
  supportsStructuredOutput: { group: 'Prompt', label: 'structured output' },
  supportsNativeTools: { group: 'Tools', label: 'own tools' },
  supportsParallelToolCalls: { group: 'Tools', label: 'parallel calls' },
  supportsMCP: { group: 'Tools', label: 'MCP servers' },
  supportsAllowedTools: { group: 'Tools', label: 'allowed tools' },
  supportsDeniedTools: { group: 'Tools', label: 'denied tools' },
  supportsAddDirs: { group: 'Tools', label: 'further folders' },
  supportsMaxTurns: { group: 'Tools', label: 'limit of agent turns' },
  supportsSkills: { group: 'Tools', label: 'skills' },
  supportsSubagents: { group: 'Tools', label: 'subagents' },
  supportsPlugins: { group: 'Tools', label: 'plugins' },
  approvalModes: { group: 'Asking and steering', label: 'approval modes' },
  supportsQuestions: { group: 'Asking and steering', label: 'questions to the user' },
  supportsInterrupt: { group: 'Asking and steering', label: 'interrupt' },
  supportsSteer: { group: 'Asking and steering', label: 'steer' },
  supportsModelSwitch: { group: 'Asking and steering', label: 'change the model while it runs' },
  supportsModeSwitch: { group: 'Asking and steering', label: 'change the approval mode while it runs' },
  reportsUsage: { group: 'Reporting', label: 'tokens' },
  reportsCost: { group: 'Reporting', label: 'cost' },
  reportsRateLimits: { group: 'Reporting', label: 'rate limits' },
  supportedPlatforms: { group: 'Surroundings', label: 'platforms' },
  requiresPty: { group: 'Surroundings', label: 'needs a terminal' },
  requiresGitRepo: { group: 'Surroundings', label: 'needs a git repository' },
};
