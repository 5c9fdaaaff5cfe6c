import type { SessionEvent } from '@agent-mux/api';
import { BEFORE_STDERR, isRecord } from '@agent-mux/core';

/** How a session goes: its turns, requests, costs and failures. Events of these types are stored whole, but for `CONTENT`. */
const LIFE_EVENTS: ReadonlySet<string> = new Set([
  'session_start',
  'session_resume',
  'session_fork',
  'session_end',
  'turn_start',
  'turn_end',
  'approval_request',
  'approval_resolved',
  'input_required',
  'input_resolved',
  'cost',
  'rate_limit_status',
  'rate_limit_error',
  'auth_error',
  'context_exceeded',
  'error',
  'crash',
  'timeout',
  'aborted',
  'interrupted',
  'keeper_lost',
  'run_result',
]);
/** Fields of those that hold what was said. */
const CONTENT: ReadonlySet<string> = new Set(['text', 'structured', 'stderr', 'raw']);
/** What the daemon needs of any other event to know what the session is doing. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...['type', 'agent', 'runId', 'sessionId', 'fromSessionId', 'messageId', 'toolCallId', 'parentToolCallId'],
  ...['requestId', 'subagentId', 'kind', 'toolName', 'status', 'delivery', 'origin', 'by', 'code', 'level', 'trigger'],
]);

/** Whether an event of this type may be stored where content is not: all others would be empty. */
export function isLifeEvent({ type }: SessionEvent): boolean {
  return LIFE_EVENTS.has(type);
}

/** The event without anything that a user, an agent or a tool has said. Its type and shape stay. */
export function withoutContent(event: SessionEvent): SessionEvent {
  const isLife = isLifeEvent(event);
  const fields = Object.entries(event).map(([name, value]) => {
    const isKept = isLife ? !CONTENT.has(name) : STRUCTURE.has(name) || isDeliveryNote(event, name);
    return [name, isKept ? withoutStderr(name, value) : emptied(value)];
  });
  // Each field has the type that it had.
  return Object.fromEntries(fields) as SessionEvent;
}

/** Which message did not reach the agent. */
function isDeliveryNote(event: SessionEvent, field: string): boolean {
  return event.type === 'debug' && field === 'data' && typeof event.data?.messageId === 'string';
}

/** The message of a crash, and the error of its run, quote the end of stderr. */
function withoutStderr(name: string, value: unknown): unknown {
  if (name === 'error' && isRecord(value)) return { ...value, message: withoutStderr('message', value.message) };
  return name === 'message' && typeof value === 'string' ? value.split(BEFORE_STDERR, 1)[0] : value;
}

function emptied(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : value;
}
