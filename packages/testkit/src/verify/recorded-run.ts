import assert from 'node:assert/strict';
import type { AgentEvent, EventOf, EventType, RunHandle, RunResult, ToolKind } from '@agent-mux/core';

/** A finished run: all received events, and its result. */
export class RecordedRun {
  readonly events: readonly AgentEvent[];
  readonly result: RunResult;

  constructor(events: readonly AgentEvent[], result: RunResult) {
    this.events = events;
    this.result = result;
  }

  of<T extends EventType>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> & AgentEvent => event.type === type);
  }

  has(type: EventType): boolean {
    return this.events.some((event) => event.type === type);
  }

  /** The only event of this type. */
  one<T extends EventType>(type: T): EventOf<T> {
    const found = this.of(type);
    assert.equal(found.length, 1, `expected one ${type}, saw ${found.length}: ${this.summary}`);
    return found[0]!;
  }

  /** The kind of each call, in the order in which they were ready. */
  get toolKinds(): ToolKind[] {
    return [...this.of('tool_call_ready'), ...this.of('mcp_tool_call_start')]
      .sort((one, other) => one.seq - other.seq)
      .map(({ kind }) => kind);
  }

  get thinking(): string {
    return this.of('thinking_delta')
      .map((event) => event.delta)
      .join('');
  }

  get sessionId(): string {
    const { sessionId } = this.result;
    assert.ok(sessionId, `the run has no session id: ${this.summary}`);
    return sessionId;
  }

  get summary(): string {
    return summarize(this.events);
  }

  completed(text?: string): this {
    const { exitReason, error } = this.result;
    assert.equal(exitReason, 'completed', `ended as ${exitReason} (${JSON.stringify(error)}): ${this.summary}`);
    assert.equal(error, null);
    if (text !== undefined) assert.equal(this.result.text, text);
    return this;
  }
}

/** Event types in order, repeats counted: short enough for an error message. */
export function summarize(events: readonly AgentEvent[]): string {
  const parts: { label: string; count: number }[] = [];
  for (const event of events) {
    const label = labelOf(event);
    const last = parts.at(-1);
    if (last?.label === label) last.count += 1;
    else parts.push({ label, count: 1 });
  }
  return parts.map(({ label, count }) => (count > 1 ? `${label}*${count}` : label)).join(' ');
}

function labelOf(event: AgentEvent): string {
  switch (event.type) {
    case 'turn_end':
      return `turn_end(${event.status})`;
    case 'session_end':
      return `session_end(${event.reason})`;
    case 'error':
      return `error(${event.code}: ${event.message.slice(0, 120)})`;
    case 'debug':
      return `debug(${event.code})`;
    case 'tool_error':
      return `tool_error(${event.error.slice(0, 80)})`;
    case 'approval_resolved':
      return `approval_resolved(${event.outcome} by ${event.by})`;
    case 'crash':
      return `crash(${event.message} ${event.stderr.slice(-200)})`;
    default:
      return event.type;
  }
}

export type EventHandler = (event: AgentEvent, handle: RunHandle) => void | Promise<void>;
