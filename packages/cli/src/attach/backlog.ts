import type { SessionEvent } from '@agent-mux/api';

/** Number of past events shown at first; all of a long session would scroll by for minutes. */
const SHOWN_PAST = 2000;

/** The seq after which to start. */
export function readBacklog(lastSeq: number, all: boolean): number {
  return all || lastSeq < SHOWN_PAST ? -1 : lastSeq - SHOWN_PAST;
}

/** Drops a partial start: the first message or turn within the shown events comes first. */
export function fromWholeTurn(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const at = events.findIndex(({ type }) => type === 'user_message');
  const start = at === -1 ? events.findIndex(({ type }) => type === 'turn_start') : at;
  return start === -1 ? events : events.slice(start);
}
