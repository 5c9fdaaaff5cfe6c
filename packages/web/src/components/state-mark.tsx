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
import { stateOf, stateText } from '../data/session-state.logic.ts';

type Facts = Parameters<typeof stateText>[0] & Pick<Session, 'turns'>;

/** The state of a session as an icon, a color and optionally text. */
export function StateMark({ session, withText = false }: { session: Facts; withText?: boolean }) {
  const text = stateText(session);
  return (
    <span className="state" data-state={stateOf(session)} title={text}>
      <Shape session={session} />
      <span className={withText ? '' : 'hidden-text'}>{text}</span>
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
