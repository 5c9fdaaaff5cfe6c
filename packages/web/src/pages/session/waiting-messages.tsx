import type { Message, Session } from '@agent-mux/api/browser';
import { RotateCcw, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Rows } from '../../data/changes.logic.ts';
import { isLost } from '../../data/message.logic.ts';
import { useRows } from '../../data/rows.ts';
import { cancelMessage, sendAgain } from '../../parts/orders.ts';
import { Button, IconButton } from '../../parts/small.tsx';
import { focusComposer } from './focus-composer.ts';

const messagesOf = (rows: Rows) => rows.messages;

interface WaitingProps {
  session: Session;
  /** It may be meant otherwise, and is not lost. */
  onTakenBack(message: Message): void;
}

/** What was said and is not with the agent yet, or will never be. */
export function WaitingMessages({ session, onTakenBack }: WaitingProps) {
  const messages = useRows(messagesOf);
  const own = useMemo(
    () =>
      [...messages.values()]
        .filter((message) => message.sessionId === session.id && message.state !== 'accepted')
        .sort((a, b) => a.createdAt - b.createdAt),
    [messages, session.id],
  );
  if (own.length === 0) return null;
  const takeBack = async (message: Message) => {
    if (!(await cancelMessage(session.id, message.id))) return;
    onTakenBack(message);
    // The button that had the focus is gone.
    focusComposer();
  };
  return (
    <ul className="queue" aria-label="Messages that wait">
      {own.map((message) => (
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
            <IconButton label="Take back" onClick={() => void takeBack(message)}>
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
  const hint = message.state === 'unknown' ? 'The agent may have it already: then it gets it twice' : undefined;
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
