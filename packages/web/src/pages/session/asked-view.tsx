import type { Request } from '@agent-mux/api/browser';
import { CircleCheck, CircleX } from 'lucide-react';
import { useRef } from 'react';
import type { Rows } from '../../data/changes.logic.ts';
import type { Asked } from '../../data/items.ts';
import { headlineOf } from '../../data/request.logic.ts';
import { useRows } from '../../data/rows.ts';
import { useHandOverFocus } from '../../parts/request/hand-over-focus.ts';
import { RequestBody } from '../../parts/request/request-body.tsx';

/** What was asked, where it was asked: to be answered, or how it was. */
export function AskedView({ asked, sessionId }: { asked: Asked; sessionId: string }) {
  const request = useRows((rows) => findOpen(rows, sessionId, asked.requestId));
  const title = headlineOf(asked.event);
  if (asked.outcome === null && request) return <Open request={request} title={title} />;
  if (asked.outcome === null) return null;
  const isGood = asked.outcome === 'allowed' || asked.outcome === 'answered';
  const Icon = isGood ? CircleCheck : CircleX;
  return (
    <p className="asked-past">
      <Icon className="icon" aria-hidden /> {title}: {asked.outcome}
      {asked.by === null || asked.by === 'caller' ? '' : ` by ${BY[asked.by] ?? asked.by}`}
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
  timeout: 'the limit of time',
  agent: 'the agent itself',
};

function findOpen(rows: Rows, sessionId: string, requestId: string) {
  for (const request of rows.requests.values())
    if (request.state === 'open' && request.sessionId === sessionId && request.requestId === requestId) return request;
  return undefined;
}
