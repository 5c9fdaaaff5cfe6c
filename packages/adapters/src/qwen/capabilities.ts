import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';

/** What both modes can do, each point run with 0.24.4. */
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
  supportsThinking: true,
  systemPrompt: { append: 'native', replace: 'native', prepend: 'prefix' },
  supportsFileAttachments: true,
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsDeniedTools: true,
  supportsAddDirs: true,
  supportsMaxTurns: true,
  supportsSkills: true,
  supportsSubagents: true,
  supportsInterrupt: true,
  reportsUsage: true,
};

export const LIVE: AgentCapabilities = {
  ...SHARED,
  thinkingEfforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsAllowedTools: true,
  supportsQuestions: true,
  supportsModelSwitch: true,
  supportsModeSwitch: true,
};

/**
 * Nobody can be asked here, so `prompt` is refused; what would ask is denied, by rules that are stronger than a list of
 * allowed tools: an allowed shell may not `touch` a file then, since that counts as an edit.
 */
export const ONESHOT: AgentCapabilities = {
  ...SHARED,
  supportsImageInput: true,
  supportsStructuredOutput: true,
  approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
};
