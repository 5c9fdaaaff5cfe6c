import type { Message, Session } from '@agent-mux/api/browser';
import { RotateCcw, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { cancelMessage, sendAgain } from '../../components/actions.ts';
import { Button, IconButton } from '../../components/primitives.tsx';
import type { Rows } from '../../data/changes.logic.ts';
import { isLost } from '../../data/message.logic.ts';
import { useRows } from '../../data/rows.ts';
import { focusComposer } from './focus-composer.ts';

const messagesOf = (rows: Rows) => rows.messages;

interface QueuedMessagesProps {
  session: Session;
  /** Called with a cancelled message, so that its text can be edited. */
  onEdit(message: Message): void;
}

/** Messages that the agent has not received: queued, failed or of unknown state. */
export function QueuedMessages({ session, onEdit }: QueuedMessagesProps) {
  const messages = useRows(messagesOf);
  const queued = useMemo(
    () =>
      [...messages.values()]
        .filter((message) => message.sessionId === session.id && message.state !== 'accepted')
        .sort((a, b) => a.createdAt - b.createdAt),
    [messages, session.id],
  );
  if (queued.length === 0) return null;
  const edit = async (message: Message) => {
    if (!(await cancelMessage(session.id, message.id))) return;
    onEdit(message);
    // The focused button was removed.
    focusComposer();
  };
  return (
    <ul className="queue" aria-label="Queued messages">
      {queued.map((message) => (
        <li key={message.id} data-state={message.state}>
          <span className="queue-state">{STATES[message.state] ?? message.state}</span>
          <span className="cut" title={message.text}>
            {message.text}
          </span>
          {message.error ? (
            <span className="cut tool-error" title={message.error.message}>
              {message.error.message}
            </span>
          ) : null}
          {message.state === 'queued' ? (
            <IconButton label="Edit" onClick={() => void edit(message)}>
              <X />
            </IconButton>
          ) : null}
          {isLost(message) ? <LostActions session={session} message={message} /> : null}
        </li>
      ))}
    </ul>
  );
}

function LostActions({ session, message }: { session: Session; message: Message }) {
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<boolean>) => {
    setBusy(true);
    const isDone = await work();
    setBusy(false);
    if (isDone) focusComposer();
  };
  const hint = message.state === 'unknown' ? 'The agent may already have it and would receive it twice' : undefined;
  return (
    <span className="queue-actions">
      <Button look="quiet" disabled={isBusy} title={hint} onClick={() => void run(() => sendAgain(session, message))}>
        <RotateCcw />
        Send again
      </Button>
      <Button look="quiet" disabled={isBusy} onClick={() => void run(() => cancelMessage(session.id, message.id))}>
        Dismiss
      </Button>
    </span>
  );
}

const STATES: Readonly<Partial<Record<Message['state'], string>>> = {
  queued: 'queued',
  failed: 'not sent',
  unknown: 'may not have arrived',
};
