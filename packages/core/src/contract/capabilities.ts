export const APPROVAL_MODES = ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'] as const;
/** `prompt`: ask for what is not read-only. `accept-edits`: edits pass, the rest asks. `plan`: look, change nothing. `deny`: what would ask is refused. `yolo`: all passes. */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

export const THINKING_EFFORTS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
/** How much a model thinks; which of them an agent knows, its capabilities say. */
export type ThinkingEffort = (typeof THINKING_EFFORTS)[number];

export const SYSTEM_PROMPT_MODES = ['append', 'prepend', 'replace'] as const;
/** Where a system prompt goes: behind the agent's own, before it, or in its place. */
export type SystemPromptMode = (typeof SYSTEM_PROMPT_MODES)[number];

/** Seed of the runtime table: how one message becomes work. */
export type ExecModel = 'interactive' | 'run-to-completion' | 'request-response';
export type SessionPersistence = 'none' | 'memory' | 'file' | 'sqlite' | 'remote';
export type Platform = 'darwin' | 'linux' | 'win32';

/**
 * What an agent can do in one of its modes. A field that is true (or lists something) is exercised on the real CLI;
 * one that is false makes the option a CapabilityError before anything is spawned.
 */
export interface AgentCapabilities {
  // Sessions
  canResume: boolean;
  canFork: boolean;
  /** `noSession`: leaves nothing behind that could be resumed. */
  canRunWithoutSession: boolean;
  /** A further turn can be sent through the handle of a run. */
  supportsMultiTurn: boolean;
  sessionPersistence: SessionPersistence;
  nativeSessionIds: boolean;
  turnCompletion: boolean;
  resumeAttach: boolean;
  execModel: ExecModel;
  // Streaming
  supportsTextStreaming: boolean;
  /** What it does (text, thoughts, tool calls) is told while it does it, and not all at the end. */
  supportsActivityStreaming: boolean;
  supportsThinkingStreaming: boolean;
  supportsToolInputStreaming: boolean;
  // Model and thinking
  supportsModelSelection: boolean;
  /** In tokens, of the model that it uses when nobody names one; null: unknown. Of other models `models` says it. */
  contextWindow: number | null;
  supportsThinking: boolean;
  thinkingEfforts: readonly ThinkingEffort[];
  supportsThinkingBudgetTokens: boolean;
  supportsThinkingOverride: boolean;
  // Prompt
  /** How each mode is honoured: by the agent itself, or as a delimited prefix of the first prompt. Absent: refused. */
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
  // Asking and steering
  approvalModes: readonly ApprovalMode[];
  /** The agent can put questions to its user. */
  supportsQuestions: boolean;
  supportsInterrupt: boolean;
  supportsSteer: boolean;
  supportsModelSwitch: boolean;
  supportsModeSwitch: boolean;
  // Reporting
  reportsUsage: boolean;
  reportsCost: boolean;
  /** A limit that is hit, or its state before, fills `quota` of the result. */
  reportsRateLimits: boolean;
  // Surroundings
  supportedPlatforms: readonly Platform[];
  requiresPty: boolean;
  requiresGitRepo: boolean;
}

/** Nothing is supported. Adapters spread it and say what is. */
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
  /** USD per million tokens. With `asOf` and `source`: of the table that agent-mux comes with; without: as the agent itself tells. */
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
  /** What updates and removes it, where that does not follow from the command: for installers that are scripts. */
  update?: string;
  uninstall?: string;
  notes?: string;
}
