import type { Session } from '@agent-mux/api/browser';

/** State of a session as shown to the user, most urgent first. */
export const STATES = ['waiting', 'failed', 'limited', 'working', 'done'] as const;
export type State = (typeof STATES)[number];

type Facts = Pick<Session, 'activity' | 'error' | 'limit' | 'openRequests' | 'isTerminated' | 'parked'>;

export function stateOf({ activity, error, limit, openRequests }: Facts): State {
  if (openRequests > 0 || activity === 'waiting_input' || activity === 'blocked') return 'waiting';
  if (activity === 'active' || activity === 'spawning') return 'working';
  if (activity === 'limited' || limit !== null) return 'limited';
  return error === null ? 'done' : 'failed';
}

/** Display text of a session's state. */
export function stateText(session: Facts): string {
  switch (stateOf(session)) {
    case 'waiting':
      return 'Needs input';
    case 'working':
      return session.activity === 'spawning' ? 'Starting' : 'Working';
    case 'limited':
      return 'Limited';
    case 'failed':
      return 'Failed';
    default:
      if (session.isTerminated) return 'Ended';
      if (session.activity === 'no_signal') return 'No signal';
      return session.parked ? 'Parked' : 'Ready';
  }
}
