import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';

/** Capabilities of both modes, each tested with 0.24.4. */
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
 * This mode cannot ask, so it refuses `prompt`; requests are denied, by rules that are stronger than a list of allowed
 * tools: then an allowed shell may not `touch` a file, since that counts as an edit.
 */
export const ONESHOT: AgentCapabilities = {
  ...SHARED,
  supportsImageInput: true,
  supportsStructuredOutput: true,
  approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
};
