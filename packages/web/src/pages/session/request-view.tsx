import type { Request } from '@agent-mux/api/browser';
import { CircleCheck, CircleX } from 'lucide-react';
import { useRef } from 'react';
import { useHandOverFocus } from '../../components/request/hand-over-focus.ts';
import { RequestBody } from '../../components/request/request-body.tsx';
import type { Rows } from '../../data/changes.logic.ts';
import type { ToolRequest } from '../../data/items.ts';
import { headlineOf } from '../../data/request.logic.ts';
import { useRows } from '../../data/rows.ts';

/** A request at its position in the conversation: answerable, or with its outcome. */
export function RequestView({ request, sessionId }: { request: ToolRequest; sessionId: string }) {
  const open = useRows((rows) => findOpen(rows, sessionId, request.requestId));
  const title = headlineOf(request.event);
  if (request.outcome === null && open) return <Open request={open} title={title} />;
  if (request.outcome === null) return null;
  const isGood = request.outcome === 'allowed' || request.outcome === 'answered';
  const Icon = isGood ? CircleCheck : CircleX;
  return (
    <p className="asked-past">
      <Icon className="icon" aria-hidden /> {title}: {request.outcome}
      {request.by === null || request.by === 'caller' ? '' : ` by ${BY[request.by] ?? request.by}`}
    </p>
  );
}

function Open({ request, title }: { request: Request; title: string }) {
  const frame = useRef<HTMLElement>(null);
  useHandOverFocus(frame);
  return (
    <article ref={frame} className="asked" data-step tabIndex={-1} aria-label={title} data-entry={request.id}>
      <h3 className="card-title">{title}</h3>
      <RequestBody request={request} />
    </article>
  );
}

const BY: Readonly<Record<string, string>> = {
  policy: 'a rule',
  timeout: 'timeout',
  agent: 'the agent',
};

function findOpen(rows: Rows, sessionId: string, requestId: string) {
  for (const request of rows.requests.values())
    if (request.state === 'open' && request.sessionId === sessionId && request.agentRequestId === requestId)
      return request;
  return undefined;
}
