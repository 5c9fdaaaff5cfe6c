import type { ScheduleRun, Session } from '@agent-mux/api';

/** The outcome of a run, from the session that it started. Null: it is running or waits for input. */
export function endOfRun(session: Session | null): Pick<ScheduleRun, 'state' | 'activity' | 'error'> | null {
  if (!session) return { state: 'completed', activity: 'removed', error: null };
  const { activity, isTerminated, error, queuedMessages, turns, openRequests } = session;
  if (isTerminated) return { state: error ? 'failed' : 'completed', activity, error };
  // Queued messages are delivered automatically, even after a limit.
  if (queuedMessages > 0 || openRequests > 0) return null;
  if (activity === 'limited') return { state: 'failed', activity, error };
  if (activity !== 'idle') return null;
  if (error) return { state: 'failed', activity, error };
  // Without a prompt, creating the session completes the run.
  return turns > 0 || session.launch === 0 ? { state: 'completed', activity, error: null } : null;
}
