import type { StoredEvent } from './evidence.ts';

/** The code with which a keeper says that a message which it had accepted did not reach its agent, which was leaving. */
const NOT_DELIVERED = 'message_not_delivered';

/** What came of a message, as far as the store tells. */
export interface Turn {
  messageId: string;
  runId: string;
  /** Null: its end was never told. */
  status: string | null;
  text: string;
  /** Its acceptance was taken back: it never got to the agent, and is to be accepted again by the next process. */
  isTakenBack: boolean;
}

/** A message begins a turn, and what the agent says until its end is the answer. */
export function turnsOf(events: readonly StoredEvent[]): Turn[] {
  const turns: Turn[] = [];
  let open: Turn | undefined;
  for (const event of events) {
    if (event.type === 'user_message') {
      open = { messageId: String(event.messageId), runId: event.runId, status: null, text: '', isTakenBack: false };
      turns.push(open);
    } else if (open && open.runId === event.runId) {
      if (event.type === 'text_delta' && event.parentToolCallId === undefined) open.text += String(event.delta);
      if (event.type === 'debug' && event.code === NOT_DELIVERED && isAbout(event, open)) {
        open.isTakenBack = true;
        open = undefined;
      } else if (event.type === 'turn_end') {
        open.status = String(event.status);
        open = undefined;
      }
    }
  }
  return turns;
}

function isAbout({ data }: StoredEvent, { messageId }: Turn): boolean {
  return typeof data === 'object' && data !== null && 'messageId' in data && data.messageId === messageId;
}
