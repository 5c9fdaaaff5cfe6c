import type { SessionEvent } from '@agent-mux/api';
import { BEFORE_STDERR, isRecord } from '@agent-mux/core';

/** Lifecycle events: turns, requests, costs and failures. Stored completely, except for `CONTENT`. */
const LIFECYCLE_EVENTS: ReadonlySet<string> = new Set([
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
/** Fields of lifecycle events that contain content. */
const CONTENT: ReadonlySet<string> = new Set(['text', 'structured', 'stderr', 'raw']);
/** Fields of other events that the daemon needs to track the session's state. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...['type', 'agent', 'runId', 'sessionId', 'fromSessionId', 'messageId', 'toolCallId', 'parentToolCallId'],
  ...['requestId', 'subagentId', 'kind', 'toolName', 'status', 'delivery', 'origin', 'by', 'code', 'level', 'trigger'],
]);

/** Whether the event is stored when content is not: all others would be empty. */
export function isLifeEvent({ type }: SessionEvent): boolean {
  return LIFECYCLE_EVENTS.has(type);
}

/** The event without content of the user, the agent or tools. Its type and shape stay. */
export function withoutContent(event: SessionEvent): SessionEvent {
  const isLifecycle = isLifeEvent(event);
  const fields = Object.entries(event).map(([name, value]) => {
    const isStored = isLifecycle ? !CONTENT.has(name) : STRUCTURE.has(name) || isDeliveryNote(event, name);
    return [name, isStored ? withoutStderr(name, value) : emptied(value)];
  });
  // Each field keeps its type.
  return Object.fromEntries(fields) as SessionEvent;
}

/** The data that names an undelivered message. */
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
