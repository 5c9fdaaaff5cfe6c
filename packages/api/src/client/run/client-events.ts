import type { EventBody } from '@agent-mux/core';
import { AgentMuxError, messageOf } from '@agent-mux/core/light';
import type { Message } from '../../schemas/message.ts';

/** A notice of the client, for the readers of a run. */
export type ClientNotice = { code: string; message: string } | { error: unknown };

/** Why an accepted message was not delivered. */
export function undelivered(message: Message | undefined): AgentMuxError {
  const why = message?.error?.message ?? `its state is ${message?.state ?? 'unknown'}`;
  return new AgentMuxError('RUN_ENDED', `a message was not delivered: ${why}`);
}

export function noticeEvent(what: ClientNotice): Extract<EventBody, { type: 'error' | 'debug' }> {
  if (!('error' in what)) return { type: 'debug', level: 'warn', ...what };
  const { error } = what;
  const code = error instanceof AgentMuxError ? error.code : 'INTERNAL_ERROR';
  return { type: 'error', code, message: messageOf(error), recoverable: true };
}
