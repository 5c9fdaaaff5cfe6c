import type { ErrorCode } from './errors.ts';
import type { ToolKind } from './tool-kinds.ts';

/** Fields of every event. `seq` has no gaps and starts at 0 in each run. */
export interface EventEnvelope {
  /** Agent of the run. */
  agent: string;
  /** Id of the run; also `RunHandle.runId`. */
  runId: string;
  /** The agent's own session id, once known. */
  sessionId?: string;
  /** Index of the turn, starting at 0. */
  turnIndex: number;
  /** Sequence number in the run, starting at 0, without gaps. */
  seq: number;
  /** Milliseconds since the epoch. */
  timestamp: number;
  /** The line or message the event was decoded from; only with `RunOptions.includeRaw`. */
  raw?: string;
}

/** Token counts; a count the agent did not report is null, never 0. */
export interface TokenUsage {
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  cacheCreationTokens: number | null;
  totalTokens: number | null;
}

export interface RateLimitWindow {
  /** The provider's name of the window, e.g. `five_hour`. */
  window: string;
  /** 0 to 100, or null when unknown. */
  usedPercent: number | null;
  /** Epoch milliseconds, or null when unknown. */
  resetsAt: number | null;
  exhausted: boolean;
}

export type TurnStatus = 'completed' | 'failed' | 'interrupted' | 'max_turns' | 'refused';

export interface ApprovalOption {
  /** Used in the answer. */
  id: string;
  label: string;
  kind: 'allow_once' | 'allow_always' | 'deny_once' | 'deny_always';
}

/**
 * One line of an approval's details. `field`: a name and its value, or the heading of the lines that follow. `text`: a
 * line of a longer value. The others are lines of a diff. No text contains control characters.
 */
export interface SummaryLine {
  kind: 'field' | 'text' | 'added' | 'removed' | 'same';
  text: string;
}

export interface PlanEntry {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  priority?: 'high' | 'medium' | 'low';
}

export interface QuestionOption {
  label: string;
  description?: string;
}

/** One question the agent asks its user. */
export interface Question {
  id: string;
  question: string;
  header?: string;
  /** Empty: free text. */
  options: QuestionOption[];
  multiple: boolean;
  /** A free-text answer is accepted in addition to the options. */
  freeText?: boolean;
}

/**
 * What a decoder returns: the event without its envelope, which the engine adds. Every type is emitted by an adapter or
 * the engine, and covered by a test.
 */
export type EventBody =
  // Session
  /** The first event: the session is open, with what the agent reports about itself. The id may follow later. */
  | {
      type: 'session_start';
      sessionId?: string;
      model?: string;
      cwd?: string;
      tools?: string[];
      agentVersion?: string;
      permissionMode?: string;
    }
  /** The run resumed an existing session (`sessionId`); follows `session_start`. */
  | { type: 'session_resume'; sessionId: string }
  /** The run started from a copy of another session (`forkSessionId`); `sessionId` is the copy's id, once known. */
  | { type: 'session_fork'; fromSessionId: string; sessionId?: string }
  /** The last event of every run that emitted any. `reason` is also the result's `exitReason`. */
  | { type: 'session_end'; reason: ExitReason }
  // Turn
  /** A turn starts: an input was sent, or the agent continues on its own. */
  | {
      type: 'turn_start';
      /** `agent`: the agent continued without input, e.g. because a background task ended. */
      origin: 'user' | 'agent';
    }
  /** A turn and all it opened ended. The run ends unless another turn is sent before the next event is read. */
  | {
      type: 'turn_end';
      status: TurnStatus;
      /** The value that matches `outputSchema`. */
      structured?: unknown;
      stopReason?: string;
    }
  // Message
  /** The agent starts a message. Always precedes its first `text_delta`. */
  | { type: 'message_start'; messageId?: string; model?: string; parentToolCallId?: string }
  /** The message started by `message_start` is complete. */
  | { type: 'message_stop'; messageId?: string; parentToolCallId?: string }
  /** A piece of the agent's text. All pieces of a turn are its text. */
  | { type: 'text_delta'; delta: string; parentToolCallId?: string }
  /** The text streamed since `message_start` is void: the agent repeats its request. */
  | { type: 'message_discard'; reason: string }
  /** The agent starts thinking. */
  | { type: 'thinking_start'; parentToolCallId?: string }
  /** A piece of the thinking, or of its summary. */
  | { type: 'thinking_delta'; delta: string; parentToolCallId?: string }
  /** The thinking block is complete. */
  | { type: 'thinking_stop'; parentToolCallId?: string }
  // Tools. `kind` is what the decoder knows beyond the adapter's `toolKinds`; the engine sets it on every event.
  /** The agent starts a tool call; its input may be incomplete. */
  | { type: 'tool_call_start'; toolCallId: string; toolName: string; kind?: ToolKind; parentToolCallId?: string }
  /** A piece of the input as raw JSON text, if the agent streams it. */
  | { type: 'tool_input_delta'; toolCallId: string; delta: string; parentToolCallId?: string }
  /** The call with its complete input. Always precedes its result. */
  | {
      type: 'tool_call_ready';
      toolCallId: string;
      toolName: string;
      kind?: ToolKind;
      input: unknown;
      parentToolCallId?: string;
    }
  /** A piece of the tool's output while it runs. */
  | { type: 'tool_output_delta'; toolCallId: string; delta: string }
  /** The tool succeeded. */
  | {
      type: 'tool_result';
      toolCallId: string;
      toolName: string;
      kind?: ToolKind;
      output: unknown;
      exitCode?: number;
      parentToolCallId?: string;
    }
  /** The tool failed or was not allowed to run. */
  | {
      type: 'tool_error';
      toolCallId: string;
      toolName: string;
      kind?: ToolKind;
      error: string;
      output?: unknown;
      denied?: boolean;
      parentToolCallId?: string;
    }
  /** An MCP tool is called. Replaces `tool_call_start` and `tool_call_ready` if the agent reports the server. */
  | {
      type: 'mcp_tool_call_start';
      toolCallId: string;
      server: string;
      toolName: string;
      kind?: ToolKind;
      input: unknown;
    }
  /** The MCP tool succeeded. */
  | { type: 'mcp_tool_result'; toolCallId: string; server: string; toolName: string; kind?: ToolKind; output: unknown }
  /** The MCP tool failed or was not allowed to run. */
  | { type: 'mcp_tool_error'; toolCallId: string; server: string; toolName: string; kind?: ToolKind; error: string }
  /** The agent started a subagent. The subagent's events have the tool call as `parentToolCallId`. */
  | { type: 'subagent_start'; subagentId: string; toolCallId?: string; name?: string; prompt?: string }
  /** The subagent finished. */
  | {
      type: 'subagent_end';
      subagentId: string;
      toolCallId?: string;
      status: 'completed' | 'failed' | 'cancelled';
      summary?: string;
    }
  /** The agent's full to-do list, each time it changes. */
  | { type: 'plan_update'; entries: PlanEntry[] }
  /** The agent's own tools created, changed or deleted a file. Changes made by commands are not reported. */
  | { type: 'file_change'; path: string; change: 'create' | 'update' | 'delete'; toolCallId?: string; diff?: string }
  /** The agent hands a file to its user. */
  | { type: 'file_output'; path: string; fileName: string; mimeType?: string }
  /** The agent shows an image: its content, or its path. */
  | { type: 'image_output'; mimeType: string; base64?: string; path?: string }
  // Approvals and questions
  /** The agent requests approval and waits. Answer with `onApprovalRequest`, `approve` or `deny`. */
  | {
      type: 'approval_request';
      requestId: string;
      toolName: string;
      title: string;
      input?: unknown;
      toolCallId?: string;
      kind?: ToolKind;
      /**
       * The request goes beyond one tool call: a file outside the run's folders, a raised limit. `accept-edits` leaves
       * it to the caller.
       */
      elevated?: boolean;
      options: ApprovalOption[];
      /**
       * All fields of `input` in readable form, created by the engine (`summarizeRequest`): show it before answering.
       */
      summary?: SummaryLine[];
      /** Epoch milliseconds at which the request is denied automatically. */
      expiresAt?: number;
    }
  /** The approval was answered, and by whom. */
  | {
      type: 'approval_resolved';
      requestId: string;
      outcome: 'allowed' | 'denied' | 'cancelled';
      by: 'caller' | 'policy' | 'timeout' | 'agent';
      /** Name of the deciding rule, or `remembered ID`; with `by: 'policy'`. */
      rule?: string;
      optionId?: string;
      message?: string;
    }
  /** The agent asks its user a question and waits. Answer with `onInputRequired` or `answer`. */
  | { type: 'input_required'; requestId: string; questions: Question[]; expiresAt?: number }
  /** The question was answered, and by whom. */
  | {
      type: 'input_resolved';
      requestId: string;
      outcome: 'answered' | 'declined' | 'cancelled';
      by: 'caller' | 'policy' | 'timeout' | 'agent';
    }
  // Cost and limits
  /** Tokens used, and their cost if known. `scope` says how to add them up; the result is already added up. */
  | {
      type: 'cost';
      usage: TokenUsage;
      costUsd: number | null;
      /** `delta`: add up. `turn`: total of this turn so far. `session`: total of the process or session so far. */
      scope: 'delta' | 'turn' | 'session';
      source: 'reported' | 'estimated';
      model?: string;
      /** The provider's pricing tier, e.g. `standard` or `priority`, if the agent reports it. */
      serviceTier?: string;
    }
  /** How full the model's context is. */
  | { type: 'context_usage'; usedTokens: number; maxTokens: number | null }
  /** The limits of the login, as the agent reports them while it runs. */
  | { type: 'rate_limit_status'; limited: boolean; windows: RateLimitWindow[] }
  /** A rate or usage limit rejected a request. The turn fails unless more output follows. */
  | {
      type: 'rate_limit_error';
      message: string;
      retryAfterMs?: number;
      resetsAt?: number;
      /** The CLI is retrying automatically. */
      retrying: boolean;
    }
  // Failures
  /** The agent is not logged in, or its key was rejected. The turn failed. */
  | { type: 'auth_error'; message: string; guidance?: string }
  /** The conversation no longer fits into the model's context. The turn failed. */
  | { type: 'context_exceeded'; message: string; usedTokens?: number; maxTokens?: number }
  /** The agent replaced older parts of the conversation with a summary. */
  | { type: 'context_compacted'; summary?: string; trigger?: string }
  /** A retry: of the whole turn by the engine (`retryPolicy`), or of a request by the agent itself. */
  | { type: 'retry'; attempt: number; maxAttempts?: number; delayMs?: number; reason: string; by: 'engine' | 'agent' }
  /** A timeout ended the run. `after_tool`: silence after a tool result; `exit`: a process that does not exit. */
  | { type: 'timeout'; kind: 'run' | 'inactivity' | 'after_tool' | 'exit'; limitMs: number; message: string }
  /** The turn was stopped and the session kept; `turn_end` with status `interrupted` follows. */
  | { type: 'interrupted'; by: 'caller' | 'agent' }
  /** The run was aborted; all its processes were ended. */
  | { type: 'aborted'; reason?: string }
  /** The agent's process exited in the middle of a turn. */
  | { type: 'crash'; exitCode: number | null; signal: string | null; stderr: string; message: string }
  /** A failure without a dedicated event. See the error codes. */
  | {
      type: 'error';
      code: ErrorCode;
      message: string;
      /** True: the run continues, or a retry of the turn may succeed. False: the turn failed permanently. */
      recoverable: boolean;
    }
  // Extensions of the agent
  /** The agent reported that it loaded a plugin. */
  | { type: 'plugin_loaded'; pluginId: string; version?: string }
  /** The agent reported an available skill. */
  | { type: 'skill_loaded'; name: string; source?: string }
  /** The agent uses a skill. */
  | { type: 'skill_invoked'; name: string }
  /** The agent named the session. */
  | { type: 'title'; title: string }
  // Diagnostics
  /** Diagnostic information, not a failure: an unverified version, a replaced process, cut text. `code` is stable. */
  | { type: 'debug'; level: 'info' | 'warn'; code: string; message: string; data?: Record<string, unknown> }
  /** A line of stderr, or of output that no decoder recognized (with `debug`). */
  | { type: 'log'; source: 'stdout' | 'stderr'; line: string };

export type EventType = EventBody['type'];
export type TimeoutKind = Extract<EventBody, { type: 'timeout' }>['kind'];

/**
 * Events that carry a tool kind: tool calls and their approval requests. All events of one call have the same or a
 * stricter kind.
 */
export type ToolEventType =
  | 'tool_call_start'
  | 'tool_call_ready'
  | 'tool_result'
  | 'tool_error'
  | 'mcp_tool_call_start'
  | 'mcp_tool_result'
  | 'mcp_tool_error'
  | 'approval_request';
type WithKind<Body> = Body extends { type: ToolEventType } ? Body & { kind: ToolKind } : Body;

export type AgentEvent = WithKind<EventBody> & EventEnvelope;
export type EventOf<T extends EventType> = WithKind<Extract<EventBody, { type: T }>> & EventEnvelope;

/** How a run ended; also the reason of `session_end`. */
export const EXIT_REASONS = [
  'completed',
  'interrupted',
  'aborted',
  'timeout',
  'inactivity',
  'crashed',
  'auth_error',
  'rate_limited',
  'context_exceeded',
  'max_turns',
  'failed',
] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

/** Only `session_end`, `debug` and `log` follow one of these: the process has exited or is exiting. */
export const TERMINAL_EVENTS: ReadonlySet<EventType> = new Set<EventType>(['crash', 'aborted', 'timeout']);

export const NO_USAGE: TokenUsage = Object.freeze({
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheCreationTokens: null,
  totalTokens: null,
});
