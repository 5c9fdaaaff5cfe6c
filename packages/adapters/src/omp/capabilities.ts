import { type AgentCapabilities, NO_CAPABILITIES, THINKING_EFFORTS } from '@agent-mux/core';

/** What both modes can do, each point run with 18.2.3. */
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
 * Nobody can be asked here, so `prompt` is refused and what would ask fails. A call is named only when its input is
 * whole. A first turn that is cut off leaves no session behind, so a turn cannot be interrupted and gone on from.
 */
export const JSON_MODE: AgentCapabilities = {
  ...SHARED,
  approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
};
