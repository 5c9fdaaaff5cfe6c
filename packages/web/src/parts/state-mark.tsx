import type { Session } from '@agent-mux/api/browser';
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleStop,
  CircleX,
  Hourglass,
  LoaderCircle,
  Moon,
} from 'lucide-react';
import { stateOf, wordOf } from '../data/session-state.logic.ts';

type Facts = Parameters<typeof wordOf>[0] & Pick<Session, 'turns'>;

/** The state of a session by shape and word, and by colour as well. */
export function StateMark({ session, withWord = false }: { session: Facts; withWord?: boolean }) {
  const word = wordOf(session);
  return (
    <span className="state" data-state={stateOf(session)} title={word}>
      <Shape session={session} />
      <span className={withWord ? '' : 'hidden-text'}>{word}</span>
    </span>
  );
}

function Shape({ session }: { session: Facts }) {
  const props = { className: 'icon', 'aria-hidden': true };
  switch (stateOf(session)) {
    case 'waiting':
      return <CircleAlert {...props} />;
    case 'working':
      return session.activity === 'spawning' ? (
        <CircleDashed {...props} />
      ) : (
        <LoaderCircle {...props} className="icon spin" />
      );
    case 'limited':
      return <Hourglass {...props} />;
    case 'failed':
      return <CircleX {...props} />;
    default:
      if (session.isTerminated) return <CircleStop {...props} />;
      if (session.parked) return <Moon {...props} />;
      return session.turns > 0 ? <CircleCheck {...props} /> : <CircleDot {...props} />;
  }
}
