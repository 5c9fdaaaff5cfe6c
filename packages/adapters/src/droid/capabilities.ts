import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';

/** What both modes can do, each point run with 0.215. */
const SHARED: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsPlugins: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  turnCompletion: true,
  supportsModelSelection: true,
  supportsThinking: true,
  // In exec each thought comes whole.
  supportsThinkingStreaming: true,
  supportsActivityStreaming: true,
  // Which of them one model takes, that model says.
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
 * Nobody can be asked. `-s ID` ends with code 1 and without a word, and an interrupt is heard after more than five seconds
 * (0.215): resuming, forking and interrupting are for JSON-RPC.
 */
export const EXEC: AgentCapabilities = {
  ...SHARED,
  execModel: 'run-to-completion',
  approvalModes: ['plan', 'deny', 'yolo'],
};
