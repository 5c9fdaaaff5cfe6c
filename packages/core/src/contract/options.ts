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
  /** 0: never. */
  maxRetries: number;
  initialDelayMs: number;
  /** No wait is longer. A limit that is told to last longer is not waited for: the run ends, and its error says when. */
  maxDelayMs: number;
  multiplier: number;
  /** Only failures with one of these codes are tried again. */
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
      decision: 'allow' /** One of the offered options; the first of kind allow_once without it. */;
      optionId?: string /** Runs the tool with this input instead, where the agent can. */;
      updatedInput?: unknown;
    }
  | { decision: 'deny'; message?: string; optionId?: string };

/** Answers by question id: the chosen labels, or the text. */
export type QuestionAnswers = Record<string, string[]>;
export type InputAnswer = { answers: QuestionAnswers } | { declined: true };

export type ApprovalRequest = EventOf<'approval_request'>;
export type InputRequest = EventOf<'input_required'>;

export interface RunOptions {
  agent: string;
  /** An array is joined by newlines. */
  prompt: string | readonly string[];
  systemPrompt?: string;
  /** Default `append`. */
  systemPromptMode?: SystemPromptMode;
  model?: string;
  thinkingEffort?: ThinkingEffort;
  thinkingBudgetTokens?: number;
  /** Native thinking settings, merged last. */
  thinkingOverride?: Record<string, unknown>;
  /** Resume this session, by its exact native id. */
  sessionId?: string;
  /** Start a new session from a copy of this one. */
  forkSessionId?: string;
  /** Leave no session behind. */
  noSession?: boolean;
  cwd?: string;
  env?: Record<string, string>;
  /** `true`: the child gets the whole environment of this process instead of the allow-list. */
  inheritEnv?: boolean;
  /** Milliseconds for the whole run. 0: none. */
  timeout?: number;
  /** Milliseconds of silence within a turn. 0: none. Not counted while somebody is asked. */
  inactivityTimeout?: number;
  /** Milliseconds of silence after a tool result. 0: none. */
  afterToolTimeout?: number;
  maxTurns?: number;
  /** Default `prompt`. */
  approvalMode?: ApprovalMode;
  /** The agent's own word for a permission mode, passed through as it is; `approvalMode` is then not mapped. */
  nativePermissionMode?: string;
  /** Milliseconds until an unanswered approval is denied and an unanswered question declined. */
  approvalTimeout?: number;
  onApprovalRequest?: (request: ApprovalRequest) => ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;
  onInputRequired?: (request: InputRequest) => InputAnswer | undefined | Promise<InputAnswer | undefined>;
  allowedTools?: readonly string[];
  deniedTools?: readonly string[];
  mcpServers?: Record<string, McpServer>;
  /** Skill files or folders. */
  skills?: readonly string[];
  addDirs?: readonly string[];
  attachments?: readonly Attachment[];
  /** A JSON Schema; the result carries the validated value. */
  outputSchema?: Record<string, unknown>;
  retryPolicy?: Partial<RetryPolicy>;
  signal?: AbortSignal;
  /** A file that gets every raw byte in and out, with time and direction. */
  tracePath?: string;
  runId?: string;
  tags?: readonly string[];
  /** A run profile from the configuration: options that this call overrides. */
  profile?: string;
  invocation?: Invocation;
  /** One of the agent's modes (`live`, `oneshot`, `acp`, ...). Default: its best. */
  mode?: string;
  /** Stay open between turns until `handle.end()`. */
  interactive?: boolean;
  /** Put the decoded line on every event. */
  includeRaw?: boolean;
  /** Show lines that no decoder knew as `log` events. */
  debug?: boolean;
}

/** What an adapter sees: validated, defaults applied, the prompt one string, paths absolute. */
export interface ResolvedRunOptions extends Omit<RunOptions, 'prompt' | 'profile' | 'retryPolicy' | 'attachments'> {
  prompt: string;
  cwd: string;
  runId: string;
  mode: string;
  approvalMode: ApprovalMode;
  /** The caller chose it: what a definition says of permissions then does not count. */
  approvalModeGiven: boolean;
  systemPromptMode: SystemPromptMode;
  attachments: readonly Required<Attachment>[];
  /** Where the process will run. Helper files (`SpawnArgs.files`) go along; other files of this machine do not. */
  invocation: Invocation;
  retryPolicy: RetryPolicy;
  /** A folder of this run alone for files that the agent is pointed at, as seen by the agent; removed when the run ends. */
  scratchDir: string;
}

export interface TurnAttachment extends Required<Attachment> {
  /** The content of a picture, read by the engine so that codecs need no I/O. */
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
