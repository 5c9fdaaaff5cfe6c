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
  /** Default 0: never. */
  maxRetries: number;
  /** Before the first retry, where no time was told; default a second. */
  initialDelayMs: number;
  /** No wait is longer; default 10 minutes. A limit that is told to last longer is not waited for: the run ends, and its error says when. */
  maxDelayMs: number;
  /** By which each wait is longer than the one before; default 2. */
  multiplier: number;
  /** Only failures with one of these codes are tried again; default `RATE_LIMITED`, `SERVER_ERROR`, `NETWORK_ERROR`, `AGENT_CRASH`. */
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
      /** One of the offered options; the first of kind allow_once without it. */
      optionId?: string;
      /** Runs the tool with this input instead, where the agent can. */
      updatedInput?: unknown;
    }
  | { decision: 'deny'; message?: string; optionId?: string };

/** Answers by question id: the chosen labels, or the text. */
export type QuestionAnswers = Record<string, string[]>;
export type InputAnswer = { answers: QuestionAnswers } | { declined: true };

export type ApprovalRequest = EventOf<'approval_request'>;
export type InputRequest = EventOf<'input_required'>;

export interface RunOptions {
  /** Which agent, by its name: one of `client.adapters.list()`. */
  agent: string;
  /** What is asked. An array is joined by newlines. May be empty only beside attachments. */
  prompt: string | string[];
  /** What the agent is told about its task before the prompt. */
  systemPrompt?: string;
  /** Whether it is put behind the agent's own (default `append`), before it, or in its place. */
  systemPromptMode?: SystemPromptMode;
  /** As the agent calls it, or an alias (`client.models`). Default: what the agent uses by itself. */
  model?: string;
  /** How much the model thinks. Default: as the agent is set up. */
  thinkingEffort?: ThinkingEffort;
  /** The same as a number of tokens, for agents that take one. */
  thinkingBudgetTokens?: number;
  /** Native thinking settings, merged last; what they may be is the agent's own. */
  thinkingOverride?: Record<string, unknown>;
  /** Resume this session, by its exact native id. Not beside `forkSessionId` or `noSession`. */
  sessionId?: string;
  /** Start a new session from a copy of this one. */
  forkSessionId?: string;
  /** Leave no session behind, and no record of the run. */
  noSession?: boolean;
  /** The folder in which the agent works. Default: that of this process. */
  cwd?: string;
  /** Variables for the agent, over the allow-listed ones of this process. */
  env?: Record<string, string>;
  /** `true`: the child gets the whole environment of this process instead of the allow-list. Default `false`. */
  inheritEnv?: boolean;
  /** Milliseconds for the whole run. 0, the default: none. */
  timeout?: number;
  /** Milliseconds of silence within a turn; default 15 minutes, 0: none. Not counted while somebody is asked. */
  inactivityTimeout?: number;
  /** Milliseconds of silence after a tool result; default 10 minutes, 0: none. */
  afterToolTimeout?: number;
  /** So many steps of the agent (a model's answer and its tools) at most, as the agent counts them. Default: its own limit. */
  maxTurns?: number;
  /**
   * Default `prompt`: asks for what is not read-only. `accept-edits`: edits pass, the rest asks. `plan`: looks, changes nothing.
   * `deny`: what would ask is refused. `yolo`: all passes.
   */
  approvalMode?: ApprovalMode;
  /** The agent's own word for a permission mode, passed through as it is; `approvalMode` is then not mapped. */
  nativePermissionMode?: string;
  /** Milliseconds until an unanswered approval is denied and an unanswered question declined; default 5 minutes, 0: never. */
  approvalTimeout?: number;
  /** Answers approvals. `undefined`: it is answered elsewhere (`handle.approve`), or not at all. */
  onApprovalRequest?: (request: ApprovalRequest) => ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;
  /** Answers the agent's questions to its user. `undefined`: it is answered elsewhere (`handle.answer`). */
  onInputRequired?: (request: InputRequest) => InputAnswer | undefined | Promise<InputAnswer | undefined>;
  /** Tools that pass without asking, as the agent names them (`Bash(git *)`). */
  allowedTools?: readonly string[];
  /** Tools that the agent may not use. */
  deniedTools?: readonly string[];
  /** MCP servers for this run, by name, beside those of the agent's own configuration. */
  mcpServers?: Record<string, McpServer>;
  /** Skill files or folders for this run, seen from `cwd`. */
  skills?: readonly string[];
  /** Further folders that the agent may work in. */
  addDirs?: readonly string[];
  /** Pictures and files that go with the prompt. */
  attachments?: readonly Attachment[];
  /** A JSON Schema; the result carries the validated value. */
  outputSchema?: Record<string, unknown>;
  /** Whether a turn that has shown nothing yet is tried again, and when. Default: never (`maxRetries: 0`). */
  retryPolicy?: Partial<RetryPolicy>;
  /** Aborts the run, as `handle.abort()` does. */
  signal?: AbortSignal;
  /** A file that gets every raw byte in and out, with time and direction; secrets are masked. */
  tracePath?: string;
  /** Default: a random one. One that belongs to a running run of this client is refused. */
  runId?: string;
  /** Words of yours, for the result and the record of the run. */
  tags?: readonly string[];
  /** A run profile from the configuration: options that this call overrides. */
  profile?: string;
  /** Where the agent's process runs: here (default), in a container, on another host, in a pod. */
  invocation?: Invocation;
  /** One of the agent's modes (`live`, `oneshot`, `acp`, ...). Default: its best. */
  mode?: string;
  /** The agent's hooks report to the daemon, without any file in the workspace. Refused where the agent has no way for it. */
  hooks?: boolean;
  /** Stay open between turns until `handle.end()`. Default: the run ends when nobody sends another turn. */
  interactive?: boolean;
  /** Put the line that it was decoded from on every event (`raw`). */
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
  /** The same for the mode. */
  modeGiven: boolean;
  /** The call or its profile named a folder: that of a definition does not count, which stands over the client's default. */
  cwdGiven: boolean;
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
