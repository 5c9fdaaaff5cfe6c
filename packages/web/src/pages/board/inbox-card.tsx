import { CircleX, Hourglass, MessageCircleQuestionMark, ShieldQuestionMark } from 'lucide-react';
import type { ReactNode } from 'react';
import type { InboxEntry } from '../../data/inbox.logic.ts';
import { dismiss } from '../../data/inbox.ts';
import { eventOf, headlineOf } from '../../data/request.logic.ts';
import { projectOf } from '../../parts/format.logic.ts';
import { orderSession } from '../../parts/orders.ts';
import { RequestBody } from '../../parts/request/request-body.tsx';
import { Link } from '../../parts/router.tsx';
import { Age, Button, Countdown } from '../../parts/small.tsx';
import { folderOf, titleOf } from '../../parts/words.logic.ts';

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
    case 'failure': {
      const { session, key } = entry;
      return (
        <Card entry={entry} icon={<CircleX />} title={session.error?.message ?? 'It has failed'}>
          {session.error?.hint === undefined ? null : <p className="muted">{session.error.hint}</p>}
          <div className="request-actions">
            {session.isTerminated ? (
              <Button look="next" onClick={() => void orderSession('restoreSession', session.id)}>
                Restore
              </Button>
            ) : null}
            <Button look="quiet" data-key="later" onClick={() => dismiss(key)}>
              Dismiss
              <kbd>L</kbd>
            </Button>
          </div>
        </Card>
      );
    }
    case 'limit': {
      const { session, key } = entry;
      return (
        <Card entry={entry} icon={<Hourglass />} title={session.limit?.message ?? 'A limit holds it up'}>
          <div className="request-actions">
            <span className="muted">
              {session.limit?.resetsAt ? (
                <>
                  lifted <Countdown until={session.limit.resetsAt} passed="by now: send the message again" />
                </>
              ) : (
                'nobody has said when it is lifted'
              )}
            </span>
            <Button look="quiet" data-key="later" onClick={() => dismiss(key)}>
              Dismiss
              <kbd>L</kbd>
            </Button>
          </div>
        </Card>
      );
    }
  }
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
  return (
    <article
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
