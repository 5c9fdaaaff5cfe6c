import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';

/** Capabilities of both modes, each tested with 0.215. */
const SHARED: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsPlugins: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  turnCompletion: true,
  supportsModelSelection: true,
  supportsThinking: true,
  // In exec, thinking arrives in whole blocks.
  supportsThinkingStreaming: true,
  supportsActivityStreaming: true,
  // Each model declares which of them it supports.
  thinkingEfforts: ['off', 'low', 'medium', 'high'],
  systemPrompt: { append: 'native', prepend: 'prefix' },
  supportsFileAttachments: true,
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsDeniedTools: true,
  reportsUsage: true,
};

export const JSONRPC: AgentCapabilities = {
  ...SHARED,
  reportsRateLimits: true,
  canResume: true,
  canFork: true,
  resumeAttach: true,
  supportsMultiTurn: true,
  execModel: 'interactive',
  supportsTextStreaming: true,
  systemPrompt: { append: 'native', replace: 'native', prepend: 'prefix' },
  supportsImageInput: true,
  supportsStructuredOutput: true,
  supportsMCP: true,
  supportsAllowedTools: true,
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsQuestions: true,
  supportsInterrupt: true,
  supportsSteer: true,
  supportsModelSwitch: true,
  supportsModeSwitch: true,
};

/**
 * This mode cannot ask. `-s ID` exits silently with code 1, and an interrupt takes more than five seconds (0.215):
 * resuming, forking and interrupting need JSON-RPC.
 */
export const EXEC: AgentCapabilities = {
  ...SHARED,
  execModel: 'run-to-completion',
  approvalModes: ['plan', 'deny', 'yolo'],
};
