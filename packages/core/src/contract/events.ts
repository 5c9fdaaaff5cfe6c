import type { ErrorCode } from './errors.ts';
import type { ToolKind } from './tool-kinds.ts';

/** What every event carries. `seq` is dense from 0 within a run. */
export interface EventEnvelope {
  /** Who was asked to run. */
  agent: string;
  /** Of the run; also `RunHandle.runId`. */
  runId: string;
  /** The agent's native session id, once it is known. */
  sessionId?: string;
  /** Of the turn that it belongs to, from 0. */
  turnIndex: number;
  /** Its place in the run, from 0, without gaps. */
  seq: number;
  /** Milliseconds since the epoch. */
  timestamp: number;
  /** The line or message that it was decoded from; only with `RunOptions.includeRaw`. */
  raw?: string;
}

/** Token counts; a count that the agent did not report is null, never 0. */
export interface TokenUsage {
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  cacheCreationTokens: number | null;
  totalTokens: number | null;
}

export interface RateLimitWindow {
  /** The vendor's name of the window, e.g. `five_hour`. */
  window: string;
  /** 0 to 100, or null when unknown. */
  usedPercent: number | null;
  /** Epoch milliseconds, or null when unknown. */
  resetsAt: number | null;
  exhausted: boolean;
}

export type TurnStatus = 'completed' | 'failed' | 'interrupted' | 'max_turns' | 'refused';

export interface ApprovalOption {
  /** What an answer names. */
  id: string;
  label: string;
  kind: 'allow_once' | 'allow_always' | 'deny_once' | 'deny_always';
}

/**
 * A line of what an approval is asked for. `field`: a name and its value, or the head of what follows. `text`: a line of a
 * longer value. The others are lines of a change. No text has a control character in it.
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

/** One question that the agent asks its user. */
export interface Question {
  id: string;
  question: string;
  header?: string;
  /** Empty: free text. */
  options: QuestionOption[];
  multiple: boolean;
  /** Beside the options, an answer in one's own words is taken too. */
  freeText?: boolean;
}

/**
 * What a decoder returns: the event without its envelope, which the engine adds.
 * Every type here is emitted by some adapter or by the engine, and shown by a test.
 */
export type EventBody =
  // Session
  /** The first event: the session is open. What the agent tells of itself is here; the id may come later, on the envelope of any event. */
  | {
      type: 'session_start';
      sessionId?: string;
      model?: string;
      cwd?: string;
      tools?: string[];
      agentVersion?: string;
      permissionMode?: string;
    }
  /** The run goes on with a session that was there before (`sessionId`); follows `session_start`. */
  | { type: 'session_resume'; sessionId: string }
  /** The run began from a copy of another session (`forkSessionId`); `sessionId` is that of the copy, once it is known. */
  | { type: 'session_fork'; fromSessionId: string; sessionId?: string }
  /** The last event of every run that had a first one. `reason` is also the result's `exitReason`. */
  | { type: 'session_end'; reason: ExitReason }
  // Turn
  /** A turn begins: an input was sent, or the agent goes on by itself. */
  | {
      type: 'turn_start';
      /** `agent`: nobody sent an input, the agent woke by itself (a background task ended). */
      origin: 'user' | 'agent';
    }
  /** A turn is over; everything that it opened is closed. The run ends unless somebody sends another turn before asking for the next event. */
  | {
      type: 'turn_end';
      status: TurnStatus;
      /** The value that answers `outputSchema`. */
      structured?: unknown;
      stopReason?: string;
    }
  // Message
  /** The agent begins to say something. Always before its first `text_delta`. */
  | { type: 'message_start'; messageId?: string; model?: string; parentToolCallId?: string }
  /** What was begun by `message_start` is said. */
  | { type: 'message_stop'; messageId?: string; parentToolCallId?: string }
  /** A piece of what the agent says. All of a turn's pieces are its text. */
  | { type: 'text_delta'; delta: string; parentToolCallId?: string }
  /** What was streamed of this message since `message_start` is void: the agent repeats its request. */
  | { type: 'message_discard'; reason: string }
  /** The agent begins to think aloud. */
  | { type: 'thinking_start'; parentToolCallId?: string }
  /** A piece of its thoughts, or of their summary. */
  | { type: 'thinking_delta'; delta: string; parentToolCallId?: string }
  /** That thought is over. */
  | { type: 'thinking_stop'; parentToolCallId?: string }
  // Tools. `kind` is what the decoder knows beyond the adapter's `toolKinds`; the engine gives every event its own.
  /** The agent begins a tool call; its input may still be on the way. */
  | { type: 'tool_call_start'; toolCallId: string; toolName: string; kind?: ToolKind; parentToolCallId?: string }
  /** A piece of the input, as raw JSON text, where the agent streams it. */
  | { type: 'tool_input_delta'; toolCallId: string; delta: string; parentToolCallId?: string }
  /** The call with its whole input. Always before its result. */
  | {
      type: 'tool_call_ready';
      toolCallId: string;
      toolName: string;
      kind?: ToolKind;
      input: unknown;
      parentToolCallId?: string;
    }
  /** A piece of what the tool prints while it runs. */
  | { type: 'tool_output_delta'; toolCallId: string; delta: string }
  /** The tool has ended well. */
  | {
      type: 'tool_result';
      toolCallId: string;
      toolName: string;
      kind?: ToolKind;
      output: unknown;
      exitCode?: number;
      parentToolCallId?: string;
    }
  /** The tool has failed, or was not allowed to run. */
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
  /** A tool of an MCP server is called. It has this event in the place of `tool_call_start` and `tool_call_ready`, where the agent tells the server. */
  | {
      type: 'mcp_tool_call_start';
      toolCallId: string;
      server: string;
      toolName: string;
      kind?: ToolKind;
      input: unknown;
    }
  /** That tool has ended well. */
  | { type: 'mcp_tool_result'; toolCallId: string; server: string; toolName: string; kind?: ToolKind; output: unknown }
  /** That tool has failed, or was not allowed to run. */
  | { type: 'mcp_tool_error'; toolCallId: string; server: string; toolName: string; kind?: ToolKind; error: string }
  /** The agent has started another agent of its own. Events of that one carry the tool call as `parentToolCallId`. */
  | { type: 'subagent_start'; subagentId: string; toolCallId?: string; name?: string; prompt?: string }
  /** That agent is done. */
  | {
      type: 'subagent_end';
      subagentId: string;
      toolCallId?: string;
      status: 'completed' | 'failed' | 'cancelled';
      summary?: string;
    }
  /** The agent's list of what is to do, whole, each time it changes. */
  | { type: 'plan_update'; entries: PlanEntry[] }
  /** A file was created, changed or deleted by the agent's own tools. What a command changes is not seen. */
  | { type: 'file_change'; path: string; change: 'create' | 'update' | 'delete'; toolCallId?: string; diff?: string }
  /** The agent hands a file to its user. */
  | { type: 'file_output'; path: string; fileName: string; mimeType?: string }
  /** The agent shows a picture: its content, or where it lies. */
  | { type: 'image_output'; mimeType: string; base64?: string; path?: string }
  // Asking
  /** The agent asks whether it may do something, and waits. Answer by `onApprovalRequest`, `approve` or `deny`. */
  | {
      type: 'approval_request';
      requestId: string;
      toolName: string;
      title: string;
      input?: unknown;
      toolCallId?: string;
      kind?: ToolKind;
      /** More is asked for than a use of the tool: a file outside of the run's folders, a limit. `accept-edits` leaves it to the caller. */
      beyond?: boolean;
      options: ApprovalOption[];
      /** All of `input`, every field, made readable by the engine (`summarizeRequest`): what to show before an answer. */
      summary?: SummaryLine[];
      /** Epoch milliseconds at which it is denied by itself. */
      expiresAt?: number;
    }
  /** That question is answered, and by whom. */
  | {
      type: 'approval_resolved';
      requestId: string;
      outcome: 'allowed' | 'denied' | 'cancelled';
      by: 'caller' | 'policy' | 'timeout' | 'agent';
      /** The rule that decided, by its name, or `remembered ID`; with `by: 'policy'`. */
      rule?: string;
      optionId?: string;
      message?: string;
    }
  /** The agent asks its user something, and waits. Answer by `onInputRequired` or `answer`. */
  | { type: 'input_required'; requestId: string; questions: Question[]; expiresAt?: number }
  /** That question is answered, and by whom. */
  | {
      type: 'input_resolved';
      requestId: string;
      outcome: 'answered' | 'declined' | 'cancelled';
      by: 'caller' | 'policy' | 'timeout' | 'agent';
    }
  // Money and limits
  /** What was used: tokens, and money where it is known. `scope` says how to add it up; the result has done so. */
  | {
      type: 'cost';
      usage: TokenUsage;
      costUsd: number | null;
      /** `delta`: add it up. `turn`: the total of this turn so far. `session`: the total of the process or session so far. */
      scope: 'delta' | 'turn' | 'session';
      source: 'reported' | 'estimated';
      model?: string;
      /** By which the provider charges, e.g. `standard` or `priority`, where the agent tells it. */
      serviceTier?: string;
    }
  /** How full the model's context is. */
  | { type: 'context_usage'; usedTokens: number; maxTokens: number | null }
  /** The limits of the login, as the agent tells them while it works. */
  | { type: 'rate_limit_status'; limited: boolean; windows: RateLimitWindow[] }
  /** A rate or usage limit refused a request. The turn fails by it unless something follows. */
  | {
      type: 'rate_limit_error';
      message: string;
      retryAfterMs?: number;
      resetsAt?: number;
      /** The CLI goes on retrying by itself. */
      retrying: boolean;
    }
  // Trouble
  /** The agent is not logged in, or its key was refused. The turn has failed. */
  | { type: 'auth_error'; message: string; guidance?: string }
  /** The conversation no longer fits into the model's context. The turn has failed. */
  | { type: 'context_exceeded'; message: string; usedTokens?: number; maxTokens?: number }
  /** The agent has replaced older parts of the conversation by a summary. */
  | { type: 'context_compacted'; summary?: string; trigger?: string }
  /** Something is tried again: the whole turn by the engine (`retryPolicy`), or a request by the agent itself. */
  | { type: 'retry'; attempt: number; maxAttempts?: number; delayMs?: number; reason: string; by: 'engine' | 'agent' }
  /** A limit of time has passed, and the run ends. `after_tool` is silence after a tool's result, `exit` a process that does not go. */
  | { type: 'timeout'; kind: 'run' | 'inactivity' | 'after_tool' | 'exit'; limitMs: number; message: string }
  /** The turn was stopped and the session kept; `turn_end` with status `interrupted` follows. */
  | { type: 'interrupted'; by: 'caller' | 'agent' }
  /** The run was aborted; every process of it is ended. */
  | { type: 'aborted'; reason?: string }
  /** The agent's process ended in the middle of a turn. */
  | { type: 'crash'; exitCode: number | null; signal: string | null; stderr: string; message: string }
  /** Something went wrong that has no event of its own. See the codes. */
  | {
      type: 'error';
      code: ErrorCode;
      message: string;
      /** True: the run goes on, or the same turn may succeed when it is tried again. False: the turn has failed for good. */
      recoverable: boolean;
    }
  // Extensions of the agent
  /** The agent tells that it has loaded a plugin. */
  | { type: 'plugin_loaded'; pluginId: string; version?: string }
  /** The agent tells that it knows a skill. */
  | { type: 'skill_loaded'; name: string; source?: string }
  /** The agent uses a skill. */
  | { type: 'skill_invoked'; name: string }
  /** The agent has named the session. */
  | { type: 'title'; title: string }
  // For people who look closely
  /** Something worth knowing that is no failure: an unproven version, a process that was replaced, a text that was cut. `code` is stable. */
  | { type: 'debug'; level: 'info' | 'warn'; code: string; message: string; data?: Record<string, unknown> }
  /** A line of output that no decoder knew (with `debug`), or of stderr. */
  | { type: 'log'; source: 'stdout' | 'stderr'; line: string };

export type EventType = EventBody['type'];
export type TimeoutKind = Extract<EventBody, { type: 'timeout' }>['kind'];

/** The events that say what a tool does: of a tool call, and of the question whether it may run. All of one call say the same or more. */
export type ToolEventType =
  | 'tool_call_start'
  | 'tool_call_ready'
  | 'tool_result'
  | 'tool_error'
  | 'mcp_tool_call_start'
  | 'mcp_tool_result'
  | 'mcp_tool_error'
  | 'approval_request';
type Told<Body> = Body extends { type: ToolEventType } ? Body & { kind: ToolKind } : Body;

export type AgentEvent = Told<EventBody> & EventEnvelope;
export type EventOf<T extends EventType> = Told<Extract<EventBody, { type: T }>> & EventEnvelope;

/** How a run ended. One word, also the reason of `session_end`. */
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

/** After one of these only `session_end`, `debug` and `log` follow: the process is gone or going. */
export const TERMINAL_EVENTS: ReadonlySet<EventType> = new Set<EventType>(['crash', 'aborted', 'timeout']);

export const NO_USAGE: TokenUsage = Object.freeze({
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheCreationTokens: null,
  totalTokens: null,
});
