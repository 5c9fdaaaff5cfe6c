import type { Message } from '@agent-mux/api/browser';

const MAX_LENGTH = 100;

/** Id for resending a message. It is derived from the message's id, so that resending is idempotent. */
export function resendIdOf(id: string): string {
  const [, first = id, count = '1'] = /^(.*)\.again(\d{1,6})$/.exec(id) ?? [];
  const end = `.again${Number(count) + (first === id ? 0 : 1)}`;
  return first.slice(0, MAX_LENGTH - end.length) + end;
}

/** The message was not delivered, or possibly not: the user has to decide. */
export function isLost({ state }: Pick<Message, 'state'>): boolean {
  return state === 'failed' || state === 'unknown';
}
