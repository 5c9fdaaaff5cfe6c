import type { EventBody } from '@agent-mux/core';
import { AgentMuxError, messageOf } from '@agent-mux/core/light';
import type { Message } from '../../schemas/message.ts';

/** Something that happened on this side of the wire and that readers are to know of. */
export type RunNote = { code: string; message: string } | { error: unknown };

/** Why a message that was taken came to nothing. */
export function undelivered(message: Message | undefined): AgentMuxError {
  const why = message?.error?.message ?? `it is ${message?.state ?? 'gone'}`;
  return new AgentMuxError('RUN_ENDED', `a message was not delivered: ${why}`);
}

export function describeNote(what: RunNote): Extract<EventBody, { type: 'error' | 'debug' }> {
  if (!('error' in what)) return { type: 'debug', level: 'warn', ...what };
  const { error } = what;
  const code = error instanceof AgentMuxError ? error.code : 'INTERNAL_ERROR';
  return { type: 'error', code, message: messageOf(error), recoverable: true };
}
