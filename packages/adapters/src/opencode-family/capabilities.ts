import { type AgentCapabilities, NO_CAPABILITIES, THINKING_EFFORTS } from '@agent-mux/core';

/** Capabilities of every mode, each tested with opencode 1.18.33 and kilo 7.7.7. */
const SHARED: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  canFork: true,
  supportsMultiTurn: true,
  sessionPersistence: 'sqlite',
  nativeSessionIds: true,
  turnCompletion: true,
  resumeAttach: true,
  execModel: 'interactive',
  supportsModelSelection: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  supportsActivityStreaming: true,
  // Variants of the model. The CLI ignores unknown ones, so the handshake looks it up.
  thinkingEfforts: THINKING_EFFORTS,
  supportsFileAttachments: true,
  supportsImageInput: true,
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsDeniedTools: true,
  supportsInterrupt: true,
  reportsUsage: true,
  reportsRateLimits: true,
  reportsCost: true,
};

/**
 * An external server: its process cannot be configured. MCP servers are added to it for the run: until its end all
 * sessions of the folder have them. A session could be deleted there, but its text stays in the pages of the database:
 * `noSession` is refused.
 */
export const ATTACHED: AgentCapabilities = {
  ...SHARED,
  supportsTextStreaming: true,
  systemPrompt: { append: 'native', prepend: 'prefix' },
  supportsStructuredOutput: true,
  supportsAllowedTools: true,
  supportsAddDirs: true,
  supportsSubagents: true,
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsQuestions: true,
  supportsSteer: true,
  supportsMCP: true,
  supportsModelSwitch: true,
  supportsModeSwitch: true,
};

export const SERVE: AgentCapabilities = {
  ...ATTACHED,
  supportsPlugins: true,
  supportsSkills: true,
  canRunWithoutSession: true,
  systemPrompt: { append: 'native', replace: 'native', prepend: 'prefix' },
};

/** This mode cannot ask, so it refuses `prompt`; in `accept-edits` everything but edits is denied. */
export const RUN: AgentCapabilities = {
  ...SHARED,
  supportsPlugins: true,
  supportsSkills: true,
  systemPrompt: { replace: 'native', append: 'prefix', prepend: 'prefix' },
  supportsMCP: true,
  approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
};
