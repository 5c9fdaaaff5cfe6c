export const APPROVAL_MODES = ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'] as const;
/**
 * `prompt`: ask for everything except reads. `accept-edits`: allow edits, ask for the rest. `plan`: read only, change
 * nothing. `deny`: deny whatever would ask. `yolo`: allow everything.
 */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

export const THINKING_EFFORTS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
/** How much a model thinks; the capabilities list the levels an agent supports. */
export type ThinkingEffort = (typeof THINKING_EFFORTS)[number];

export const SYSTEM_PROMPT_MODES = ['append', 'prepend', 'replace'] as const;
/** Where a system prompt goes: after the agent's own, before it, or instead of it. */
export type SystemPromptMode = (typeof SYSTEM_PROMPT_MODES)[number];

/** How one message becomes work. */
export type ExecModel = 'interactive' | 'run-to-completion' | 'request-response';
export type SessionPersistence = 'none' | 'memory' | 'file' | 'sqlite' | 'remote';
export type Platform = 'darwin' | 'linux' | 'win32';

/**
 * What an agent can do in one of its modes. A field that is true (or a non-empty list) is tested with the real CLI; one
 * that is false makes the option a CapabilityError before anything is spawned.
 */
export interface AgentCapabilities {
  // Sessions
  canResume: boolean;
  canFork: boolean;
  /** `noSession`: leaves no resumable session behind. */
  canRunWithoutSession: boolean;
  /** The run handle can send further turns. */
  supportsMultiTurn: boolean;
  sessionPersistence: SessionPersistence;
  nativeSessionIds: boolean;
  turnCompletion: boolean;
  resumeAttach: boolean;
  execModel: ExecModel;
  // Streaming
  supportsTextStreaming: boolean;
  /** Text, thinking and tool calls are reported as they happen, not all at the end. */
  supportsActivityStreaming: boolean;
  supportsThinkingStreaming: boolean;
  supportsToolInputStreaming: boolean;
  // Model and thinking
  supportsModelSelection: boolean;
  /** Tokens of the default model; null: unknown. For other models see `models`. */
  contextWindow: number | null;
  supportsThinking: boolean;
  thinkingEfforts: readonly ThinkingEffort[];
  supportsThinkingBudgetTokens: boolean;
  supportsThinkingOverride: boolean;
  // Prompt
  /**
   * How each mode is implemented: natively by the agent, or as a delimited prefix of the first prompt. Absent:
   * rejected.
   */
  systemPrompt: Partial<Record<SystemPromptMode, 'native' | 'prefix'>>;
  supportsImageInput: boolean;
  supportsFileAttachments: boolean;
  supportsStructuredOutput: boolean;
  // Tools
  supportsNativeTools: boolean;
  supportsParallelToolCalls: boolean;
  supportsMCP: boolean;
  supportsAllowedTools: boolean;
  supportsDeniedTools: boolean;
  supportsAddDirs: boolean;
  supportsMaxTurns: boolean;
  supportsSkills: boolean;
  supportsSubagents: boolean;
  supportsPlugins: boolean;
  // Approvals and steering
  approvalModes: readonly ApprovalMode[];
  /** The agent can ask its user questions. */
  supportsQuestions: boolean;
  supportsInterrupt: boolean;
  supportsSteer: boolean;
  supportsModelSwitch: boolean;
  supportsModeSwitch: boolean;
  // Reporting
  reportsUsage: boolean;
  reportsCost: boolean;
  /** Usage limits, reached or not, are reported in `quota` of the result. */
  reportsRateLimits: boolean;
  // Environment
  supportedPlatforms: readonly Platform[];
  requiresPty: boolean;
  requiresGitRepo: boolean;
}

/** All capabilities off. Adapters spread it and override what they support. */
export const NO_CAPABILITIES: AgentCapabilities = Object.freeze({
  canResume: false,
  canFork: false,
  canRunWithoutSession: false,
  supportsMultiTurn: false,
  sessionPersistence: 'none',
  nativeSessionIds: false,
  turnCompletion: true,
  resumeAttach: false,
  execModel: 'run-to-completion',
  supportsTextStreaming: false,
  supportsActivityStreaming: false,
  supportsThinkingStreaming: false,
  supportsToolInputStreaming: false,
  supportsModelSelection: false,
  contextWindow: null,
  supportsThinking: false,
  thinkingEfforts: [],
  supportsThinkingBudgetTokens: false,
  supportsThinkingOverride: false,
  systemPrompt: {},
  supportsImageInput: false,
  supportsFileAttachments: false,
  supportsStructuredOutput: false,
  supportsNativeTools: false,
  supportsParallelToolCalls: false,
  supportsMCP: false,
  supportsAllowedTools: false,
  supportsDeniedTools: false,
  supportsAddDirs: false,
  supportsMaxTurns: false,
  supportsSkills: false,
  supportsSubagents: false,
  supportsPlugins: false,
  approvalModes: [],
  supportsQuestions: false,
  supportsInterrupt: false,
  supportsSteer: false,
  supportsModelSwitch: false,
  supportsModeSwitch: false,
  reportsUsage: false,
  reportsCost: false,
  reportsRateLimits: false,
  supportedPlatforms: ['darwin', 'linux', 'win32'],
  requiresPty: false,
  requiresGitRepo: false,
} satisfies AgentCapabilities);

export interface ModelCapabilities {
  id: string;
  displayName?: string;
  aliases?: readonly string[];
  contextWindow: number | null;
  maxOutputTokens: number | null;
  supportsThinking: boolean;
  supportsImageInput: boolean;
  /**
   * USD per million tokens. With `asOf` and `source`: from the table bundled with agent-mux; without: reported by the
   * agent.
   */
  pricing?: {
    input: number;
    output: number;
    cacheRead?: number;
    cacheCreation?: number;
    asOf?: string;
    source?: string;
  };
}

export interface InstallMethod {
  type: 'npm' | 'brew' | 'pip' | 'curl' | 'winget' | 'nix' | 'built-in' | 'manual';
  platforms: readonly Platform[] | 'all';
  command: string;
  /** Commands that update and remove the agent, for installers that are scripts. */
  update?: string;
  uninstall?: string;
  notes?: string;
}
