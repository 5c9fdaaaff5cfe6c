import type { ApprovalMode, SystemPromptMode, ThinkingEffort } from './capabilities.ts';
import type { ErrorCode } from './errors.ts';
import type { ApprovalOption, EventOf } from './events.ts';

export type McpServer =
  | { type?: 'stdio'; command: string; args?: string[]; env?: Record<string, string> }
  | { type: 'http' | 'sse'; url: string; headers?: Record<string, string> };

export interface Attachment {
  /** A file on disk. */
  path: string;
  mimeType?: string;
  name?: string;
}

export interface RetryPolicy {
  /** Default 0: no retries. */
  maxRetries: number;
  /** Delay before the first retry if no reset time is known; default one second. */
  initialDelayMs: number;
  /** Maximum delay; default 10 minutes. If a limit lasts longer, the run ends and its error has the reset time. */
  maxDelayMs: number;
  /** Factor between one delay and the next; default 2. */
  multiplier: number;
  /** Retry only failures with these codes; default `RATE_LIMITED`, `SERVER_ERROR`, `NETWORK_ERROR`, `AGENT_CRASH`. */
  retryOn: readonly ErrorCode[];
}

/** Where the agent's process runs. */
export type Invocation =
  | { mode: 'local' }
  | { mode: 'docker'; image: string; args?: string[]; workdir?: string }
  | { mode: 'ssh'; host: string; user?: string; port?: number; args?: string[]; remoteCwd?: string }
  | { mode: 'k8s'; pod: string; namespace?: string; container?: string; args?: string[] };

export type ApprovalAnswer =
  | {
      decision: 'allow';
      /** One of the offered options; default: the first of kind allow_once. */
      optionId?: string;
      /** Runs the tool with this input instead, if the agent supports it. */
      updatedInput?: unknown;
    }
  | { decision: 'deny'; message?: string; optionId?: string };

/** Answers by question id: the chosen labels, or the text. */
export type QuestionAnswers = Record<string, string[]>;
export type InputAnswer = { answers: QuestionAnswers } | { declined: true };

export type ApprovalRequest = EventOf<'approval_request'>;
export type InputRequest = EventOf<'input_required'>;

export interface RunOptions {
  /** Name of the agent: one of `client.adapters.list()`. */
  agent: string;
  /** The prompt. An array is joined with newlines. May be empty only if there are attachments. */
  prompt: string | string[];
  /** Instructions for the agent, in addition to the prompt. */
  systemPrompt?: string;
  /** Where the system prompt goes: after the agent's own (default `append`), before it, or instead of it. */
  systemPromptMode?: SystemPromptMode;
  /** Model id or alias (`client.models`). Default: the agent's default model. */
  model?: string;
  /** How much the model thinks. Default: the agent's configuration. */
  thinkingEffort?: ThinkingEffort;
  /** Thinking effort as a number of tokens, for agents that support it. */
  thinkingBudgetTokens?: number;
  /** Native thinking settings, merged last; their format is agent-specific. */
  thinkingOverride?: Record<string, unknown>;
  /** Resumes this session, by the agent's exact session id. Mutually exclusive with `forkSessionId` and `noSession`. */
  sessionId?: string;
  /** Starts a new session from a copy of this one. */
  forkSessionId?: string;
  /** Stores no session and no record of the run. */
  noSession?: boolean;
  /** Working directory of the agent. Default: that of this process. */
  cwd?: string;
  /** Environment variables for the agent; they override the allow-listed ones of this process. */
  env?: Record<string, string>;
  /** `true`: the child receives the whole environment of this process instead of the allow list. Default `false`. */
  inheritEnv?: boolean;
  /** Milliseconds for the whole run. Default 0: no timeout. */
  timeout?: number;
  /**
   * Milliseconds of silence within a turn; default 15 minutes, 0: no timeout. Paused while a request waits for an
   * answer.
   */
  inactivityTimeout?: number;
  /** Milliseconds of silence after a tool result; default 10 minutes, 0: no timeout. */
  afterToolTimeout?: number;
  /**
   * Maximum number of agent steps (a model response and its tools), as the agent counts them. Default: the agent's own
   * limit.
   */
  maxTurns?: number;
  /**
   * Default `prompt`: ask for everything except reads. `accept-edits`: allow edits, ask for the rest. `plan`: read
   * only, change nothing. `deny`: deny whatever would ask. `yolo`: allow everything.
   */
  approvalMode?: ApprovalMode;
  /** The agent's own permission mode, passed through unchanged; `approvalMode` is then not mapped. */
  nativePermissionMode?: string;
  /**
   * Milliseconds until an unanswered approval is denied and an unanswered question declined; default 5 minutes, 0:
   * never.
   */
  approvalTimeout?: number;
  /** Answers approvals. `undefined`: answered through `handle.approve`, or not at all. */
  onApprovalRequest?: (request: ApprovalRequest) => ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;
  /** Answers the agent's questions to its user. `undefined`: answered through `handle.answer`. */
  onInputRequired?: (request: InputRequest) => InputAnswer | undefined | Promise<InputAnswer | undefined>;
  /** Tools that need no approval, in the agent's syntax (`Bash(git *)`). */
  allowedTools?: readonly string[];
  /** Tools the agent may not use. */
  deniedTools?: readonly string[];
  /** MCP servers for this run, by name, in addition to the agent's configured ones. */
  mcpServers?: Record<string, McpServer>;
  /** Skill files or folders for this run, relative to `cwd`. */
  skills?: readonly string[];
  /** Additional folders the agent may access. */
  addDirs?: readonly string[];
  /** Images and files sent with the prompt. */
  attachments?: readonly Attachment[];
  /** A JSON Schema; the result carries the validated value. */
  outputSchema?: Record<string, unknown>;
  /** Whether and when to retry a turn that has produced no output. Default: never (`maxRetries: 0`). */
  retryPolicy?: Partial<RetryPolicy>;
  /** Aborts the run, as `handle.abort()` does. */
  signal?: AbortSignal;
  /** File that receives every raw byte in both directions with timestamps; secrets are masked. */
  tracePath?: string;
  /** Default: a random id. The id of another active run of this client is rejected. */
  runId?: string;
  /** Custom labels for the result and the record of the run. */
  tags?: readonly string[];
  /** A run profile from the configuration: default options that this call overrides. */
  profile?: string;
  /** Where the agent's process runs: locally (default), in a container, on another host, in a pod. */
  invocation?: Invocation;
  /** One of the agent's modes (`live`, `oneshot`, `acp`, ...). Default: the agent's first mode. */
  mode?: string;
  /**
   * The agent's hooks report to the daemon without any file in the workspace. Rejected if the agent does not support
   * it.
   */
  hooks?: boolean;
  /** Stays open between turns until `handle.end()`. Default: the run ends when no further turn is sent. */
  interactive?: boolean;
  /** Adds the source line to every event (`raw`). */
  includeRaw?: boolean;
  /** Emits unrecognized lines as `log` events. */
  debug?: boolean;
}

/** The options an adapter receives: validated, defaults applied, prompt joined, paths absolute. */
export interface ResolvedRunOptions extends Omit<RunOptions, 'prompt' | 'profile' | 'retryPolicy' | 'attachments'> {
  prompt: string;
  cwd: string;
  runId: string;
  mode: string;
  approvalMode: ApprovalMode;
  /** The caller chose the approval mode, so permissions of an agent definition do not apply. */
  approvalModeGiven: boolean;
  /** The caller chose the mode. */
  modeGiven: boolean;
  /**
   * The call or its profile set the folder, which overrides that of an agent definition, which overrides the client's
   * default.
   */
  cwdGiven: boolean;
  systemPromptMode: SystemPromptMode;
  attachments: readonly Required<Attachment>[];
  /**
   * Where the process will run. Helper files (`SpawnArgs.files`) are transferred; other files of this machine are not.
   */
  invocation: Invocation;
  retryPolicy: RetryPolicy;
  /**
   * Private folder of this run for files passed to the agent, as a path the agent can use; removed when the run ends.
   */
  scratchDir: string;
}

export interface TurnAttachment extends Required<Attachment> {
  /** Content of an image, read by the engine so that codecs need no I/O. */
  base64?: string;
}

/** One user input. */
export interface TurnInput {
  text: string;
  attachments: readonly TurnAttachment[];
}

export interface PendingApproval {
  kind: 'approval';
  requestId: string;
  toolName: string;
  options: readonly ApprovalOption[];
}
export interface PendingInput {
  kind: 'input';
  requestId: string;
}
export type PendingRequest = PendingApproval | PendingInput;
