import type { StoredEvent } from './evidence.ts';

/** What came of a message, as far as the store tells. */
export interface Turn {
  messageId: string;
  runId: string;
  /** Null: its end was never told. */
  status: string | null;
  text: string;
}

/** A message begins a turn, and what the agent says until its end is the answer. */
export function turnsOf(events: readonly StoredEvent[]): Turn[] {
  const turns: Turn[] = [];
  let open: Turn | undefined;
  for (const event of events) {
    if (event.type === 'user_message') {
      open = { messageId: String(event.messageId), runId: event.runId, status: null, text: '' };
      turns.push(open);
    } else if (open && open.runId === event.runId) {
      if (event.type === 'text_delta' && event.parentToolCallId === undefined) open.text += String(event.delta);
      if (event.type === 'turn_end') {
        open.status = String(event.status);
        open = undefined;
      }
    }
  }
  return turns;
}
