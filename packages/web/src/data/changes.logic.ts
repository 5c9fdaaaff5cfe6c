import type { Change, Message, Request, Session } from '@agent-mux/api/browser';

/** Current rows of the daemon. Unchanged rows keep their identity. */
export interface Rows {
  /** Revision up to which changes have been applied. */
  rev: number;
  /** False until the first rows have been loaded. */
  isLoaded: boolean;
  /** True once all sessions are loaded, not only the first page. */
  isComplete: boolean;
  sessions: ReadonlyMap<string, Session>;
  requests: ReadonlyMap<string, Request>;
  /** Unfinished messages: queued, in delivery, of unknown state, or failed. */
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

/** Finished messages are shown by the conversation instead. */
const IS_OVER: ReadonlySet<Message['state']> = new Set(['completed', 'cancelled', 'dismissed']);

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

/** Applies changes in revision order. Duplicates and outdated changes are ignored. */
export function applyChanges(rows: Rows, changes: readonly Change[]): Rows {
  const draft = { sessions: rows.sessions, requests: rows.requests, messages: rows.messages };
  let { rev } = rows;
  for (const change of changes) {
    rev = Math.max(rev, change.rev);
    if (change.kind === 'session') draft.sessions = put(rows.sessions, draft.sessions, change);
    else if (change.kind === 'request') draft.requests = put(rows.requests, draft.requests, change);
    else {
      const isOver = change.value !== null && IS_OVER.has(change.value.state);
      // Senders choose message ids, so two sessions may use the same id.
      const id = messageKey(change.sessionId, change.id);
      draft.messages = put(rows.messages, draft.messages, { id, rev: change.rev, value: isOver ? null : change.value });
    }
  }
  return { ...rows, ...draft, rev };
}

export function messageKey(sessionId: string, id: string): string {
  return `${sessionId}/${id}`;
}

/** Copies the map once per batch: a map that differs from `base` is already a copy. */
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
