import type { SessionEvent } from '@agent-mux/api';
import { type Continuity, canContinue } from '../sessions/can-continue.ts';
import { type ActivityState, isStopped } from './reduce-activity.ts';

/**
 * Applies the end of a launch to the session, depending on what its agent can continue: a failed job leaves the session
 * usable, and a conversation that no later process can continue ends with its process.
 */
export function settleEnd(state: ActivityState, event: SessionEvent, continuity: Continuity): ActivityState {
  if (event.type !== 'run_result' && event.type !== 'keeper_lost') return state;
  if (state.isTerminated && continuity.conversation === 'none' && !isStopped(event)) {
    const activity = state.limit === null ? 'idle' : 'limited';
    const { error } = state;
    return { ...state, activity, isTerminated: false, parked: true, error: error && withoutHint(error) };
  }
  if (canContinue(continuity)) return state;
  if (state.parked) return { ...state, activity: 'exited', isTerminated: true, parked: false };
  return state.error?.code === 'KEEPER_LOST' ? { ...state, error: withoutHint(state.error) } : state;
}

/** Hints at the end of a launch are about restoring the session. */
function withoutHint({ code, message }: NonNullable<ActivityState['error']>): ActivityState['error'] {
  return { code, message };
}
