import type { Request } from '@agent-mux/api/browser';
import { eventOf } from '../../data/request.logic.ts';
import { Approval } from './approval.tsx';
import { Questions } from './question.tsx';

/** A request and its answers, the same in the inbox and in its session. */
export function RequestBody({ request }: { request: Request }) {
  const event = eventOf(request);
  if (event === null)
    return <p className="muted">This page cannot show this kind of request. Run "amux inbox" to see it.</p>;
  return event.type === 'approval_request' ? (
    <Approval request={request} event={event} />
  ) : (
    <Questions request={request} event={event} />
  );
}
