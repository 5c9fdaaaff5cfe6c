import type { Request } from '@agent-mux/api/browser';
import { useState } from 'react';
import type { ApprovalEvent } from '../../data/items.ts';
import { type Choice, choicesOf } from '../../data/request.logic.ts';
import { answerRequest, snoozeRequest } from '../actions.ts';
import { Button, Countdown } from '../primitives.tsx';
import { SummaryLines } from './summary-lines.tsx';

/** The full details of an approval request, and its answers. */
export function Approval({ request, event }: { request: Request; event: ApprovalEvent }) {
  const [isBusy, setBusy] = useState(false);
  const [reason, setReason] = useState<string | null>(null);
  const answer = async (choice: Choice) => {
    setBusy(true);
    const message = reason?.trim();
    const options = choice.answer.decision === 'deny' && message ? { ...choice.answer, message } : choice.answer;
    if (!(await answerRequest(request, options))) setBusy(false);
  };
  const choices = choicesOf(event);
  return (
    <>
      <SummaryLines event={event} />
      {reason === null ? null : (
        <input
          className="input"
          aria-label="Reason"
          placeholder="Reason, or what to do instead"
          value={reason}
          // biome-ignore lint/a11y/noAutofocus: the user just opened this field.
          autoFocus
          onChange={({ target }) => setReason(target.value)}
          onKeyDown={({ key }) => {
            const deny = choices.find(({ role }) => role === 'deny');
            if (key === 'Enter' && deny) void answer(deny);
            if (key === 'Escape') setReason(null);
          }}
        />
      )}
      <div className="request-actions">
        {choices.map((choice) => (
          <Button
            key={choice.label}
            look={choice.role === 'approve' ? 'next' : 'plain'}
            disabled={isBusy}
            data-key={choice.role === 'other' ? undefined : choice.role}
            onClick={() => void answer(choice)}
          >
            {choice.label}
            {choice.role === 'other' ? null : <kbd>{choice.role === 'approve' ? 'A' : 'D'}</kbd>}
          </Button>
        ))}
        {reason === null ? (
          <Button look="quiet" disabled={isBusy} title="Deny with a reason" onClick={() => setReason('')}>
            Deny…
          </Button>
        ) : null}
        <SnoozeButton request={request} isBusy={isBusy} />
        {event.expiresAt === undefined ? null : (
          <span className="faint request-expires">
            denied automatically <Countdown until={event.expiresAt} />
          </span>
        )}
      </div>
    </>
  );
}

export function SnoozeButton({ request, isBusy }: { request: Request; isBusy: boolean }) {
  return (
    <Button look="quiet" disabled={isBusy} data-key="snooze" onClick={() => void snoozeRequest(request)}>
      Snooze
      <kbd>L</kbd>
    </Button>
  );
}
