import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';

/** Capabilities of both modes, each tested with 2.1.325. */
const SHARED: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsPlugins: true,
  canResume: true,
  canFork: true,
  canRunWithoutSession: true,
  supportsMultiTurn: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  turnCompletion: true,
  resumeAttach: true,
  execModel: 'interactive',
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsThinkingStreaming: true,
  supportsToolInputStreaming: true,
  supportsModelSelection: true,
  contextWindow: 1_000_000,
  supportsThinking: true,
  thinkingEfforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  supportsThinkingBudgetTokens: true,
  systemPrompt: { append: 'native', replace: 'native', prepend: 'prefix' },
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
  supportsInterrupt: true,
  reportsUsage: true,
  reportsCost: true,
  reportsRateLimits: true,
};

export const LIVE: AgentCapabilities = {
  ...SHARED,
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsQuestions: true,
  supportsSteer: true,
  supportsModelSwitch: true,
  supportsModeSwitch: true,
};

/**
 * This mode cannot ask, so it refuses `prompt`; in `accept-edits` everything but edits is denied, which the stream
 * reports.
 */
export const ONESHOT: AgentCapabilities = {
  ...SHARED,
  approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
};
