import type { EventBody } from '@agent-mux/core';
import { AgentMuxError, messageOf } from '@agent-mux/core/light';

/** Something that happened on this side of the wire and that readers are to know of. */
export type RunNote = { code: string; message: string } | { error: unknown };

export function describeNote(what: RunNote): Extract<EventBody, { type: 'error' | 'debug' }> {
  if (!('error' in what)) return { type: 'debug', level: 'warn', ...what };
  const { error } = what;
  const code = error instanceof AgentMuxError ? error.code : 'INTERNAL_ERROR';
  return { type: 'error', code, message: messageOf(error), recoverable: true };
}
