import type { ErrorCode } from './errors.ts';
import type { ToolKind } from './tool-kinds.ts';

/** What every event carries. `seq` is dense from 0 within a run. */
export interface EventEnvelope {
  agent: string;
  runId: string;
  /** The agent's native session id, once it is known. */
  sessionId?: string;
  turnIndex: number;
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
  | {
      type: 'session_start';
      sessionId?: string;
      model?: string;
      cwd?: string;
      tools?: string[];
      agentVersion?: string;
      permissionMode?: string;
    }
  | { type: 'session_resume'; sessionId: string }
  | { type: 'session_fork'; fromSessionId: string; sessionId?: string }
  | { type: 'session_end'; reason: ExitReason }
  // Turn
  | {
      type: 'turn_start' /** `agent`: nobody sent an input, the agent woke by itself (a background task ended). */;
      origin: 'user' | 'agent';
    }
  | {
      type: 'turn_end';
      status: TurnStatus /** The value that answers `outputSchema`. */;
      structured?: unknown;
      stopReason?: string;
    }
  // Message
  | { type: 'message_start'; messageId?: string; model?: string; parentToolCallId?: string }
  | { type: 'message_stop'; messageId?: string; parentToolCallId?: string }
  | { type: 'text_delta'; delta: string; parentToolCallId?: string }
  /** What was streamed of this message since `message_start` is void: the agent repeats its request. */
  | { type: 'message_discard'; reason: string }
  | { type: 'thinking_start'; parentToolCallId?: string }
  | { type: 'thinking_delta'; delta: string; parentToolCallId?: string }
  | { type: 'thinking_stop'; parentToolCallId?: string }
  // Tools. `kind` is what the decoder knows beyond the adapter's `toolKinds`; the engine gives every event its own.
  | { type: 'tool_call_start'; toolCallId: string; toolName: string; kind?: ToolKind; parentToolCallId?: string }
  | { type: 'tool_input_delta'; toolCallId: string; delta: string; parentToolCallId?: string }
  | {
      type: 'tool_call_ready';
      toolCallId: string;
      toolName: string;
      kind?: ToolKind;
      input: unknown;
      parentToolCallId?: string;
    }
  | { type: 'tool_output_delta'; toolCallId: string; delta: string }
  | {
      type: 'tool_result';
      toolCallId: string;
      toolName: string;
      kind?: ToolKind;
      output: unknown;
      exitCode?: number;
      parentToolCallId?: string;
    }
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
  | {
      type: 'mcp_tool_call_start';
      toolCallId: string;
      server: string;
      toolName: string;
      kind?: ToolKind;
      input: unknown;
    }
  | { type: 'mcp_tool_result'; toolCallId: string; server: string; toolName: string; kind?: ToolKind; output: unknown }
  | { type: 'mcp_tool_error'; toolCallId: string; server: string; toolName: string; kind?: ToolKind; error: string }
  | { type: 'subagent_start'; subagentId: string; toolCallId?: string; name?: string; prompt?: string }
  | {
      type: 'subagent_end';
      subagentId: string;
      toolCallId?: string;
      status: 'completed' | 'failed' | 'cancelled';
      summary?: string;
    }
  | { type: 'plan_update'; entries: PlanEntry[] }
  | { type: 'file_change'; path: string; change: 'create' | 'update' | 'delete'; toolCallId?: string; diff?: string }
  | { type: 'file_output'; path: string; fileName: string; mimeType?: string }
  | { type: 'image_output'; mimeType: string; base64?: string; path?: string }
  // Asking
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
  | {
      type: 'approval_resolved';
      requestId: string;
      outcome: 'allowed' | 'denied' | 'cancelled';
      by: 'caller' | 'policy' | 'timeout' | 'agent';
      optionId?: string;
      message?: string;
    }
  | { type: 'input_required'; requestId: string; questions: Question[]; expiresAt?: number }
  | {
      type: 'input_resolved';
      requestId: string;
      outcome: 'answered' | 'declined' | 'cancelled';
      by: 'caller' | 'policy' | 'timeout' | 'agent';
    }
  // Money and limits
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
  | { type: 'context_usage'; usedTokens: number; maxTokens: number | null }
  | { type: 'rate_limit_status'; limited: boolean; windows: RateLimitWindow[] }
  | {
      type: 'rate_limit_error';
      message: string;
      retryAfterMs?: number;
      resetsAt?: number /** The CLI goes on retrying by itself. */;
      retrying: boolean;
    }
  // Trouble
  | { type: 'auth_error'; message: string; guidance?: string }
  | { type: 'context_exceeded'; message: string; usedTokens?: number; maxTokens?: number }
  | { type: 'context_compacted'; summary?: string; trigger?: string }
  | { type: 'retry'; attempt: number; maxAttempts?: number; delayMs?: number; reason: string; by: 'engine' | 'agent' }
  | { type: 'timeout'; kind: 'run' | 'inactivity' | 'after_tool' | 'exit'; limitMs: number; message: string }
  | { type: 'interrupted'; by: 'caller' | 'agent' }
  | { type: 'aborted'; reason?: string }
  | { type: 'crash'; exitCode: number | null; signal: string | null; stderr: string; message: string }
  | {
      type: 'error';
      code: ErrorCode;
      message: string;
      /** True: the run goes on, or the same turn may succeed when it is tried again. False: the turn has failed for good. */
      recoverable: boolean;
    }
  // Extensions of the agent
  | { type: 'plugin_loaded'; pluginId: string; version?: string }
  | { type: 'skill_loaded'; name: string; source?: string }
  | { type: 'skill_invoked'; name: string }
  | { type: 'title'; title: string }
  // For people who look closely
  | { type: 'debug'; level: 'info' | 'warn'; code: string; message: string; data?: Record<string, unknown> }
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
