import {
  type AgentEvent,
  ERROR_CODES,
  type ErrorCode,
  type EventBody,
  findEventFault,
  type ToolKind,
} from '@agent-mux/core';
import { entryOf, type Json, number, parseRecord, text } from '../shared/json.ts';

/**
 * A line of `amux run --json`. An event passes as it is; the result at the end is folded again from the events; what kept
 * the run from starting is a line of its own and becomes an error. What has the envelope of an event and not its fields, or
 * comes out of order, is no event of an agent-mux.
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

/** The words of an agent-mux from before kinds were told with every tool. */
const FORMER_KINDS: Readonly<Record<string, ToolKind>> = { network: 'fetch', mode: 'other' };

/** An event of a newer agent-mux whose type or fields are not known here would mislead whoever reads it: it is none. */
function isWholeEvent(value: Json): value is Json & AgentEvent {
  const numbered = Number.isSafeInteger(value.seq) && Number.isSafeInteger(value.turnIndex);
  return numbered && 'runId' in value && findEventFault(value) === undefined;
}

function codeOf(code: unknown): ErrorCode {
  return ERROR_CODES.find((known) => known === code) ?? 'AGENT_ERROR';
}
