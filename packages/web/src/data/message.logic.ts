import type { Message } from '@agent-mux/api/browser';

const LONGEST = 100;

/** Of the message that says the same again: it follows from the first one, so that asking twice is sending once. */
export function idOfNext(id: string): string {
  const [, first = id, count = '1'] = /^(.*)\.again(\d{1,6})$/.exec(id) ?? [];
  const end = `.again${Number(count) + (first === id ? 0 : 1)}`;
  return first.slice(0, LONGEST - end.length) + end;
}

/** A person has to decide about these: they were not sent, or perhaps not. */
export function isLost({ state }: Pick<Message, 'state'>): boolean {
  return state === 'failed' || state === 'unknown';
}
