import type { Session } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { CircleX, Hourglass, MessageCircleQuestionMark, ShieldQuestionMark } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { call } from '../../data/call.ts';
import type { InboxEntry } from '../../data/inbox.logic.ts';
import { eventOf, headlineOf } from '../../data/request.logic.ts';
import { projectOf } from '../../parts/format.logic.ts';
import { LimitActions, LimitOutlook } from '../../parts/limit-actions.tsx';
import { dismiss, orderSession, sendAgain } from '../../parts/orders.ts';
import { useHandOverFocus } from '../../parts/request/hand-over-focus.ts';
import { RequestBody } from '../../parts/request/request-body.tsx';
import { Link } from '../../parts/router.tsx';
import { Age, Button } from '../../parts/small.tsx';
import { folderOf, titleOf } from '../../parts/words.logic.ts';
import { remedyOf } from './remedy.logic.ts';

export function InboxCard({ entry }: { entry: InboxEntry }) {
  switch (entry.kind) {
    case 'request': {
      const event = eventOf(entry.request);
      const isApproval = event?.type === 'approval_request';
      return (
        <Card
          entry={entry}
          icon={isApproval ? <ShieldQuestionMark /> : <MessageCircleQuestionMark />}
          title={headlineOf(event)}
        >
          <RequestBody request={entry.request} />
        </Card>
      );
    }
    case 'failure':
      return (
        <Card entry={entry} icon={<CircleX />} title={entry.session.error?.message ?? 'It has failed'}>
          <Failure session={entry.session} />
        </Card>
      );
    case 'limit': {
      const { session } = entry;
      return (
        <Card entry={entry} icon={<Hourglass />} title={session.limit?.message ?? 'A limit holds it up'}>
          <p>
            <LimitOutlook session={session} />
          </p>
          <div className="request-actions">
            <LimitActions session={session} />
            {session.isTerminated ? (
              <Button onClick={() => void orderSession('restoreSession', session.id)}>Restore</Button>
            ) : null}
            <Dismiss session={session} />
          </div>
        </Card>
      );
    }
  }
}

/** What mends it, as a button where there is one. */
function Failure({ session }: { session: Session }) {
  const { id, error, isTerminated } = session;
  const messages = useAnswer({
    queryKey: ['messages', id, session.activitySince],
    queryFn: async ({ signal }) => (await call('listMessages', { params: { id } }, signal)).messages,
    enabled: !isTerminated,
  });
  const remedy = remedyOf(session, messages.data ?? []);
  return (
    <>
      {error?.hint === undefined ? null : <p className="muted">{error.hint}</p>}
      <div className="request-actions">
        {remedy?.kind === 'agent' ? (
          <Link className="button" data-look="next" href={remedy.href}>
            {remedy.words}
          </Link>
        ) : null}
        {remedy?.kind === 'send-again' ? (
          <Button look="next" onClick={() => void sendAgain(session, remedy.message)}>
            Send it again
          </Button>
        ) : null}
        {isTerminated ? (
          <Button
            look={remedy?.kind === 'restore' ? 'next' : 'plain'}
            onClick={() => void orderSession('restoreSession', id)}
          >
            Restore
          </Button>
        ) : null}
        <Dismiss session={session} />
      </div>
    </>
  );
}

function Dismiss({ session }: { session: Session }) {
  return (
    <Button look="quiet" data-key="later" onClick={() => void dismiss(session)}>
      Dismiss
      <kbd>L</kbd>
    </Button>
  );
}

interface CardProps {
  entry: InboxEntry;
  icon: ReactNode;
  title: string;
  children: ReactNode;
}

/** Who asks stands above what is asked. */
function Card({ entry: { kind, key, since, session }, icon, title, children }: CardProps) {
  const name = session ? titleOf(session) : 'A session that is gone';
  const frame = useRef<HTMLElement>(null);
  useHandOverFocus(frame);
  return (
    <article
      ref={frame}
      className="card"
      data-kind={kind}
      data-step
      tabIndex={-1}
      aria-label={`${title}: ${name}`}
      data-entry={key}
    >
      <header className="card-who">
        {session ? (
          <>
            <Link href={`/sessions/${session.id}`} className="cut card-session" data-open>
              {name}
            </Link>
            <span className="faint cut">
              {session.agent} · {projectOf(folderOf(session))}
            </span>
          </>
        ) : (
          <span className="muted">{name}</span>
        )}
        <Age time={since} />
      </header>
      <h3 className="card-title">
        <span className="card-icon" aria-hidden>
          {icon}
        </span>
        <span className="sentence">{title}</span>
      </h3>
      <div className="card-body">{children}</div>
    </article>
  );
}
