import { type AgentEvent, ERROR_CODES, type ErrorCode, type EventBody, EXIT_REASONS } from '@agent-mux/core';
import { entryOf, isRecord, type Json, number, parseRecord, text } from '../shared/json.ts';

/**
 * A line of `amux run --json`. An event passes as it is; the result at the end is folded again from the events; what kept
 * the run from starting is a line of its own and becomes an error. What has the envelope of an event and not its fields, or
 * comes out of order, is no event of an agent-mux.
 */
export function parseRemoteLine(line: string, state: Json = {}): EventBody | EventBody[] | null {
  const value = parseRecord(line);
  if (!value) return null;
  if (hasEnvelope(value)) {
    if (!hasFields(value) || value.seq <= (number(state.seq) ?? -1)) return null;
    state.seq = value.seq;
    return value;
  }
  if (value.type === 'run_result') return [];
  if (value.type !== 'error') return null;
  const hint = text(value.hint);
  const message = [text(value.message) ?? 'the other amux failed', hint].filter(Boolean).join('; ');
  return { type: 'error', code: codeOf(value.code), message, recoverable: false };
}

/** Told by its envelope: another version of agent-mux may know other types. */
function hasEnvelope(value: Json): value is Json & AgentEvent {
  const { type, seq, runId, agent, turnIndex } = value;
  const named = typeof type === 'string' && typeof runId === 'string' && typeof agent === 'string';
  return named && typeof seq === 'number' && typeof turnIndex === 'number';
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTextOrNone: Check = (value) => value === undefined || value === null || isText(value);
const isCountOrNull: Check = (value) => value === null || typeof value === 'number';
const isUsage: Check = (value) => isRecord(value) && Object.values(value).every(isCountOrNull);
const isReason: Check = (value) => EXIT_REASONS.some((known) => known === value);
const tool = { toolCallId: isText, toolName: isText };

/** What the engine reads of the events that pass. */
const COMMON: Readonly<Record<string, Check>> = {
  seq: (value) => Number.isSafeInteger(value),
  turnIndex: (value) => Number.isSafeInteger(value),
  sessionId: isTextOrNone,
  parentToolCallId: isTextOrNone,
};
const FIELDS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  session_start: { model: isTextOrNone },
  session_end: { reason: isReason },
  message_start: { model: isTextOrNone },
  text_delta: { delta: isText },
  thinking_delta: { delta: isText },
  tool_call_start: tool,
  tool_call_ready: tool,
  tool_result: tool,
  tool_error: { ...tool, error: isText },
  mcp_tool_call_start: { ...tool, server: isText },
  mcp_tool_result: { ...tool, server: isText },
  mcp_tool_error: { ...tool, server: isText, error: isText },
  cost: { usage: isUsage, costUsd: isCountOrNull, model: isTextOrNone },
  turn_end: { status: isText },
  error: { code: (value) => ERROR_CODES.some((known) => known === value), message: isText },
  auth_error: { message: isText },
  rate_limit_error: { message: isText },
  context_exceeded: { message: isText },
  crash: { message: isText },
  timeout: { kind: isText, message: isText },
  aborted: { reason: isTextOrNone },
};

function hasFields(event: Json & AgentEvent): boolean {
  const checks = { ...COMMON, ...entryOf(FIELDS, event.type) };
  return Object.entries(checks).every(([name, check]) => check(entryOf<unknown>(event, name)));
}

function codeOf(code: unknown): ErrorCode {
  return ERROR_CODES.find((known) => known === code) ?? 'AGENT_ERROR';
}
