import type { StoredEvent } from './evidence.ts';

/** Code for an accepted message that did not reach its agent, which was exiting. */
const NOT_DELIVERED = 'message_not_delivered';

/** The outcome of a message in the store. */
export interface Turn {
  messageId: string;
  runId: string;
  /** Null: its end was never emitted. */
  status: string | null;
  text: string;
  /** Its acceptance was withdrawn: it never reached the agent, and the next process must accept it again. */
  isTakenBack: boolean;
}

/** A message starts a turn, and the agent's output until its end is the answer. */
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
