import type { SessionEvent } from '@agent-mux/api';

/** So much of what has been is shown at first; all of a long session would scroll by for minutes. */
const SHOWN_PAST = 2000;

/** Where to begin: after this seq. */
export function pastFrom(lastSeq: number, all: boolean): number {
  return all || lastSeq < SHOWN_PAST ? -1 : lastSeq - SHOWN_PAST;
}

/** What is cut in its middle is not shown: from the first message or turn on, where one begins within what is shown. */
export function fromWholeTurn(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const at = events.findIndex(({ type }) => type === 'user_message');
  const begin = at === -1 ? events.findIndex(({ type }) => type === 'turn_start') : at;
  return begin === -1 ? events : events.slice(begin);
}
