import type { Request, Session } from '@agent-mux/api/browser';
import type { Rows } from './changes.logic.ts';
import { stateOf } from './session-state.logic.ts';

/** One inbox entry: something that needs a person. */
export type InboxEntry =
  | { kind: 'request'; key: string; since: number; request: Request; session: Session | undefined }
  | { kind: 'failure'; key: string; since: number; session: Session }
  | { kind: 'limit'; key: string; since: number; session: Session };

/** Inbox order: requests (oldest first), then failures, then limits. Snoozed and dismissed entries are left out. */
export function inboxOf(rows: Pick<Rows, 'sessions' | 'requests'>, now: number): InboxEntry[] {
  const requests = [...rows.requests.values()].flatMap((request): InboxEntry[] => {
    if (request.state !== 'open' || (request.snoozedUntil !== null && request.snoozedUntil > now)) return [];
    const { id, createdAt, sessionId } = request;
    return [{ kind: 'request', key: id, since: createdAt, request, session: rows.sessions.get(sessionId) }];
  });
  const sessions = [...rows.sessions.values()].flatMap((session): InboxEntry[] => {
    const state = stateOf(session);
    const key = errorKey(session);
    // `dismissed` holds the time of the dismissed failure, so a later failure is shown again.
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

export function errorKey({ id, activitySince }: Pick<Session, 'id' | 'activitySince'>): string {
  return `${id}@${activitySince}`;
}
