import type { Request } from '@agent-mux/api/browser';
import { useState } from 'react';
import type { ApprovalEvent } from '../../data/items.ts';
import { type Choice, choicesOf } from '../../data/request.logic.ts';
import { answerRequest, postponeRequest } from '../orders.ts';
import { Button, Countdown } from '../small.tsx';
import { SummaryLines } from './summary-lines.tsx';

/** The whole of what is asked for, and the answers that are offered. */
export function Approval({ request, event }: { request: Request; event: ApprovalEvent }) {
  const [isBusy, setBusy] = useState(false);
  const [reason, setReason] = useState<string | null>(null);
  const answer = async (choice: Choice) => {
    setBusy(true);
    const message = reason?.trim();
    const given = choice.answer.decision === 'deny' && message ? { ...choice.answer, message } : choice.answer;
    if (!(await answerRequest(request, given))) setBusy(false);
  };
  const choices = choicesOf(event);
  return (
    <>
      <SummaryLines event={event} />
      {reason === null ? null : (
        <input
          className="input"
          aria-label="Why not"
          placeholder="Why not, or what to do instead"
          value={reason}
          // biome-ignore lint/a11y/noAutofocus: it was asked for a moment ago.
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
          <Button look="quiet" disabled={isBusy} title="Deny, and say why" onClick={() => setReason('')}>
            Deny…
          </Button>
        ) : null}
        <Later request={request} isBusy={isBusy} />
        {event.expiresAt === undefined ? null : (
          <span className="faint request-expires">
            denied by itself <Countdown until={event.expiresAt} />
          </span>
        )}
      </div>
    </>
  );
}

export function Later({ request, isBusy }: { request: Request; isBusy: boolean }) {
  return (
    <Button look="quiet" disabled={isBusy} data-key="later" onClick={() => void postponeRequest(request)}>
      Later
      <kbd>L</kbd>
    </Button>
  );
}
