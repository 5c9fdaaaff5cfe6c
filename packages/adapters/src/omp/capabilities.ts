import { type AgentCapabilities, NO_CAPABILITIES, THINKING_EFFORTS } from '@agent-mux/core';

/** Capabilities of both modes, each tested with 18.2.3. */
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
  supportsModelSelection: true,
  supportsThinking: true,
  thinkingEfforts: THINKING_EFFORTS,
  supportsThinkingBudgetTokens: true,
  systemPrompt: { append: 'native', replace: 'native', prepend: 'prefix' },
  supportsImageInput: true,
  supportsFileAttachments: true,
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsAllowedTools: true,
  supportsDeniedTools: true,
  supportsMCP: true,
  supportsAddDirs: true,
  supportsSkills: true,
  reportsUsage: true,
  reportsRateLimits: true,
  reportsCost: true,
};

export const RPC: AgentCapabilities = {
  ...SHARED,
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsToolInputStreaming: true,
  supportsQuestions: true,
  supportsInterrupt: true,
  supportsSteer: true,
  supportsModelSwitch: true,
};

/**
 * This mode cannot ask, so it refuses `prompt`, and calls that would ask fail. A call is named only when its input is
 * complete. A first turn that is cut off leaves no session, so a turn cannot be interrupted and resumed.
 */
export const JSON_MODE: AgentCapabilities = {
  ...SHARED,
  approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
};
