import type { Session } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { CircleX, Hourglass, MessageCircleQuestionMark, ShieldQuestionMark } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { dismiss, runSessionAction, sendAgain } from '../../components/actions.ts';
import { projectOf } from '../../components/format.logic.ts';
import { folderOf, titleOf } from '../../components/labels.logic.ts';
import { LimitActions, LimitOutlook } from '../../components/limit-actions.tsx';
import { Age, Button } from '../../components/primitives.tsx';
import { useHandOverFocus } from '../../components/request/hand-over-focus.ts';
import { RequestBody } from '../../components/request/request-body.tsx';
import { Link } from '../../components/router.tsx';
import { call } from '../../data/call.ts';
import type { InboxEntry } from '../../data/inbox.logic.ts';
import { eventOf, headlineOf } from '../../data/request.logic.ts';
import { fixFor } from './fix.logic.ts';

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
        <Card entry={entry} icon={<CircleX />} title={entry.session.error?.message ?? 'Failed'}>
          <Failure session={entry.session} />
        </Card>
      );
    case 'limit': {
      const { session } = entry;
      return (
        <Card entry={entry} icon={<Hourglass />} title={session.limit?.message ?? 'Paused by a limit'}>
          <p>
            <LimitOutlook session={session} />
          </p>
          <div className="request-actions">
            <LimitActions session={session} />
            {session.isTerminated ? (
              <Button onClick={() => void runSessionAction('restoreSession', session.id)}>Restore</Button>
            ) : null}
            <Dismiss session={session} />
          </div>
        </Card>
      );
    }
  }
}

/** A failure with its hint and the button that fixes it, if any. */
function Failure({ session }: { session: Session }) {
  const { id, error, isTerminated } = session;
  const messages = useAnswer({
    queryKey: ['messages', id, session.activitySince],
    queryFn: async ({ signal }) => (await call('listMessages', { params: { id } }, signal)).messages,
    enabled: !isTerminated,
  });
  const fix = fixFor(session, messages.data ?? []);
  return (
    <>
      {error?.hint === undefined ? null : <p className="muted">{error.hint}</p>}
      <div className="request-actions">
        {fix?.kind === 'agent' ? (
          <Link className="button" data-look="next" href={fix.href}>
            {fix.label}
          </Link>
        ) : null}
        {fix?.kind === 'send-again' ? (
          <Button look="next" onClick={() => void sendAgain(session, fix.message)}>
            Send again
          </Button>
        ) : null}
        {isTerminated ? (
          <Button
            look={fix?.kind === 'restore' ? 'next' : 'plain'}
            onClick={() => void runSessionAction('restoreSession', id)}
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
    <Button look="quiet" data-key="snooze" onClick={() => void dismiss(session)}>
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

/** Card of an inbox entry, with its session above the title. */
function Card({ entry: { kind, key, since, session }, icon, title, children }: CardProps) {
  const name = session ? titleOf(session) : 'Deleted session';
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
