import { type AgentEvent, ERROR_CODES, type ErrorCode, type EventBody } from '@agent-mux/core';
import { parseRecord, text } from '../shared/json.ts';

/**
 * A line of `amux run --json`. An event passes as it is; the result at the end is folded again from the events; what kept
 * the run from starting is a line of its own and becomes an error.
 */
export function parseRemoteLine(line: string): EventBody | EventBody[] | null {
  const value = parseRecord(line);
  if (!value) return null;
  if (isEvent(value)) return value;
  if (value.type === 'run_result') return [];
  if (value.type !== 'error') return null;
  const hint = text(value.hint);
  const message = [text(value.message) ?? 'the other amux failed', hint].filter(Boolean).join('; ');
  return { type: 'error', code: codeOf(value.code), message, recoverable: false };
}

/** Told by its envelope: another version of agent-mux may know other types. */
function isEvent(value: object): value is AgentEvent {
  const { type, seq, runId, agent, turnIndex }: { [field: string]: unknown } = { ...value };
  const named = typeof type === 'string' && typeof runId === 'string' && typeof agent === 'string';
  return named && typeof seq === 'number' && typeof turnIndex === 'number';
}

function codeOf(code: unknown): ErrorCode {
  return ERROR_CODES.find((known) => known === code) ?? 'AGENT_ERROR';
}
