import type { Change, Message, Request, Session } from '@agent-mux/api/browser';

/** All rows that the daemon has told of, as they stand. Rows that did not change stay the same objects. */
export interface Rows {
  /** What was told up to here; changes go on from it. */
  rev: number;
  /** False until the rows that were there before have come. */
  isLoaded: boolean;
  /** All of them; until then only the first page of sessions may be there. */
  isComplete: boolean;
  sessions: ReadonlyMap<string, Session>;
  requests: ReadonlyMap<string, Request>;
  /** Those that are not over: queued, on their way, of unknown fate, failed. */
  messages: ReadonlyMap<string, Message>;
}

export const NO_ROWS: Rows = {
  rev: 0,
  isLoaded: false,
  isComplete: false,
  sessions: new Map(),
  requests: new Map(),
  messages: new Map(),
};

/** A message says in the conversation what it said when its turn has ended. */
const IS_OVER: ReadonlySet<Message['state']> = new Set(['done', 'cancelled', 'dismissed']);

export function loadRows(
  rows: Rows,
  loaded: { sessions: readonly Session[]; requests: readonly Request[]; rev: number },
): Rows {
  return {
    ...rows,
    rev: Math.max(rows.rev, loaded.rev),
    isLoaded: true,
    sessions: newest(rows.sessions, loaded.sessions),
    requests: newest(rows.requests, loaded.requests),
  };
}

/** Changes in the order of their revisions. One that came before, or is older than what is known, changes nothing. */
export function applyChanges(rows: Rows, changes: readonly Change[]): Rows {
  const draft = { sessions: rows.sessions, requests: rows.requests, messages: rows.messages };
  let { rev } = rows;
  for (const change of changes) {
    rev = Math.max(rev, change.rev);
    if (change.kind === 'session') draft.sessions = put(rows.sessions, draft.sessions, change);
    else if (change.kind === 'request') draft.requests = put(rows.requests, draft.requests, change);
    else {
      const isOver = change.value !== null && IS_OVER.has(change.value.state);
      // Senders choose the ids of messages: two sessions may have the same.
      const id = messageKey(change.sessionId, change.id);
      draft.messages = put(rows.messages, draft.messages, { id, rev: change.rev, value: isOver ? null : change.value });
    }
  }
  return { ...rows, ...draft, rev };
}

export function messageKey(sessionId: string, id: string): string {
  return `${sessionId}/${id}`;
}

/** Copies once for each batch: what differs from `base` was copied already. */
function put<Row extends { rev: number }>(
  base: ReadonlyMap<string, Row>,
  current: ReadonlyMap<string, Row>,
  { id, rev, value }: { id: string; rev: number; value: Row | null },
): ReadonlyMap<string, Row> {
  const known = current.get(id);
  if (known ? known.rev >= rev : value === null) return current;
  const copy = current === base ? new Map(current) : (current as Map<string, Row>);
  if (value === null) copy.delete(id);
  else copy.set(id, value);
  return copy;
}

function newest<Row extends { id: string; rev: number }>(
  known: ReadonlyMap<string, Row>,
  loaded: readonly Row[],
): ReadonlyMap<string, Row> {
  const copy = new Map(known);
  for (const row of loaded) if ((copy.get(row.id)?.rev ?? -1) < row.rev) copy.set(row.id, row);
  return copy;
}
