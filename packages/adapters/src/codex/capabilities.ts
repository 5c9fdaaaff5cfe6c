import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';

/** What both modes can do, each point run with 0.166. */
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
  supportsModelSelection: true,
  contextWindow: 272_000,
  supportsThinking: true,
  // In exec each thought comes whole.
  supportsThinkingStreaming: true,
  supportsActivityStreaming: true,
  // As its models list them; which of them one model takes, that model says.
  thinkingEfforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  supportsThinkingOverride: true,
  systemPrompt: { append: 'native', replace: 'native', prepend: 'prefix' },
  supportsImageInput: true,
  supportsFileAttachments: true,
  supportsStructuredOutput: true,
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsAddDirs: true,
  supportsInterrupt: true,
  reportsUsage: true,
  reportsRateLimits: true,
};

export const APP_SERVER: AgentCapabilities = {
  ...SHARED,
  execModel: 'interactive',
  supportsTextStreaming: true,
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsSkills: true,
  supportsSubagents: true,
  supportsSteer: true,
  supportsModelSwitch: true,
  supportsModeSwitch: true,
};

/** Nobody can be asked here, and a command may edit where a patch may: neither `prompt` nor `accept-edits`. */
export const EXEC: AgentCapabilities = {
  ...SHARED,
  execModel: 'run-to-completion',
  approvalModes: ['plan', 'deny', 'yolo'],
};
