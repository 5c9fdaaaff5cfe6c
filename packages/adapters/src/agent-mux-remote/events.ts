import {
  type AgentEvent,
  ERROR_CODES,
  type ErrorCode,
  type EventBody,
  findEventIssue,
  type ToolKind,
} from '@agent-mux/core';
import { entryOf, type Json, number, parseRecord, text } from '../shared/json.ts';

/**
 * A line of `amux run --json`. An event passes unchanged; the final result is folded again from the events; a start
 * failure is a separate line and becomes an error. A line with the envelope of an event that lacks its fields, or comes
 * out of order, is not an agent-mux event.
 */
export function parseRemoteLine(line: string, state: Json = {}): EventBody | EventBody[] | null {
  const value = parseRecord(line);
  if (!value) return null;
  if ('seq' in value) {
    if (value.type === 'approval_request') value.kind = entryOf(FORMER_KINDS, text(value.kind) ?? '') ?? value.kind;
    if (!isWholeEvent(value) || value.seq <= (number(state.seq) ?? -1)) return null;
    state.seq = value.seq;
    return value;
  }
  if (value.type === 'run_result') return [];
  if (value.type !== 'error') return null;
  const hint = text(value.hint);
  const message = [text(value.message) ?? 'the other amux failed', hint].filter(Boolean).join('; ');
  return { type: 'error', code: codeOf(value.code), message, recoverable: false };
}

/** Tool kinds of an agent-mux from before every tool event had a kind. */
const FORMER_KINDS: Readonly<Record<string, ToolKind>> = { network: 'fetch', mode: 'other' };

/** Rejects an event of a newer agent-mux whose type or fields are unknown here: it would mislead the reader. */
function isWholeEvent(value: Json): value is Json & AgentEvent {
  const numbered = Number.isSafeInteger(value.seq) && Number.isSafeInteger(value.turnIndex);
  return numbered && 'runId' in value && findEventIssue(value) === undefined;
}

function codeOf(code: unknown): ErrorCode {
  return ERROR_CODES.find((known) => known === code) ?? 'AGENT_ERROR';
}
