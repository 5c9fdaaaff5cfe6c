import type { Request, Session } from '@agent-mux/api/browser';
import type { Rows } from './changes.logic.ts';
import { stateOf } from './session-state.logic.ts';

/** One thing that waits for a person. */
export type InboxEntry =
  | { kind: 'request'; key: string; since: number; request: Request; session: Session | undefined }
  | { kind: 'failure'; key: string; since: number; session: Session }
  | { kind: 'limit'; key: string; since: number; session: Session };

/** All that waits, the oldest first: what is asked, then what failed, then what a limit holds up. Put off or waved away: not now. */
export function inboxOf(rows: Pick<Rows, 'sessions' | 'requests'>, now: number): InboxEntry[] {
  const requests = [...rows.requests.values()].flatMap((request): InboxEntry[] => {
    if (request.state !== 'open' || (request.laterUntil !== null && request.laterUntil > now)) return [];
    const { id, createdAt, sessionId } = request;
    return [{ kind: 'request', key: id, since: createdAt, request, session: rows.sessions.get(sessionId) }];
  });
  const sessions = [...rows.sessions.values()].flatMap((session): InboxEntry[] => {
    const state = stateOf(session);
    const key = troubleKey(session);
    // The same session may fail again, and is shown again then.
    if ((state !== 'failed' && state !== 'limited') || session.dismissed === session.activitySince) return [];
    return [{ kind: state === 'failed' ? 'failure' : 'limit', key, since: session.activitySince, session }];
  });
  const oldest = (a: InboxEntry, b: InboxEntry) => a.since - b.since;
  const order = ['failure', 'limit'];
  return [
    ...requests.sort(oldest),
    ...sessions.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || b.since - a.since),
  ];
}

export function troubleKey({ id, activitySince }: Pick<Session, 'id' | 'activitySince'>): string {
  return `${id}@${activitySince}`;
}
