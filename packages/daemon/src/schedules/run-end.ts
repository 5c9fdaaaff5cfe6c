import type { ScheduleRun, Session } from '@agent-mux/api';

/** What became of a run, by the session that it began. Null: it is at work, or waits for somebody. */
export function endOfRun(session: Session | null): Pick<ScheduleRun, 'state' | 'activity' | 'error'> | null {
  if (!session) return { state: 'done', activity: 'removed', error: null };
  const { activity, isTerminated, error, queuedMessages, turns, openRequests } = session;
  if (isTerminated) return { state: error ? 'failed' : 'done', activity, error };
  // What is queued goes on by itself, also after a limit.
  if (queuedMessages > 0 || openRequests > 0) return null;
  if (activity === 'limited') return { state: 'failed', activity, error };
  if (activity !== 'idle') return null;
  if (error) return { state: 'failed', activity, error };
  // One without a prompt has nothing to do: it is there, which is all that was wanted.
  return turns > 0 || session.launch === 0 ? { state: 'done', activity, error: null } : null;
}
