import type { Request } from '@agent-mux/api';

type Row = Pick<Request, 'id' | 'sessionId'>;

/** Finds the open request for a session id, a request id or a prefix of either. */
export type Chosen<R extends Row> =
  | { kind: 'one'; request: R }
  /** The caller must specify one. */
  | { kind: 'several'; requests: readonly R[] }
  /** Matches two sessions, or a session and a request of another one. */
  | { kind: 'ambiguous'; requests: readonly R[] }
  | { kind: 'none' };

export function chooseRequest<R extends Row>(open: readonly R[], id: string, within?: string): Chosen<R> {
  const exact = open.find((request) => request.id === id);
  if (exact && within === undefined) return { kind: 'one', request: exact };
  const ofSession = open.filter(({ sessionId }) => sessionId.startsWith(id));
  if (within !== undefined) return ofWhole(ofSession.filter((request) => request.id.startsWith(within)));
  const named = open.filter((request) => request.id.startsWith(id));
  const sessions = new Set(ofSession.map(({ sessionId }) => sessionId));
  const all = [...new Set([...ofSession, ...named])];
  if (sessions.size > 1 || (sessions.size === 1 && named.some(({ sessionId }) => !sessions.has(sessionId)))) {
    return { kind: 'ambiguous', requests: all };
  }
  return ofWhole(sessions.size === 1 ? ofSession : named);
}

function ofWhole<R extends Row>(requests: readonly R[]): Chosen<R> {
  const [first, second] = requests;
  if (!first) return { kind: 'none' };
  return second ? { kind: 'several', requests } : { kind: 'one', request: first };
}
