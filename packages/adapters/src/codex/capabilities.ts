import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';

/** Capabilities of both modes, each tested with 0.166. */
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
  // In exec, thinking arrives in whole blocks.
  supportsThinkingStreaming: true,
  supportsActivityStreaming: true,
  // As its models list them; each model declares which of them it supports.
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

/** This mode cannot ask, and a command may edit where a patch may: neither `prompt` nor `accept-edits`. */
export const EXEC: AgentCapabilities = {
  ...SHARED,
  execModel: 'run-to-completion',
  approvalModes: ['plan', 'deny', 'yolo'],
};
