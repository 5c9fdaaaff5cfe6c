import type { SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';
import type { Change, ChangePage } from '../store.ts';
import { type Connection, readRevision } from './connection.ts';
import { MESSAGES } from './messages.ts';
import { REQUESTS } from './requests.ts';
import { decodeRow } from './rows.ts';
import { SELECT_SESSIONS, SESSIONS } from './sessions.ts';

type SqlRow = Record<string, SQLOutputValue>;
type Source = 'session' | 'request' | 'message' | 'tombstone';

const SELECTS: Readonly<Record<Source, string>> = {
  session: SELECT_SESSIONS,
  request: 'SELECT * FROM requests',
  message: 'SELECT * FROM messages',
  tombstone: 'SELECT * FROM tombstones',
};
const SOURCES: readonly Source[] = ['session', 'request', 'message', 'tombstone'];
const KindSchema = z.enum(['session', 'request', 'message']);

/** A row is listed at its last change only, so each appears once. */
export function readChanges(connection: Connection, after: number, limit: number): ChangePage {
  const found = SOURCES.flatMap((source) =>
    connection
      .prepare(`${SELECTS[source]} WHERE rev > ? ORDER BY rev LIMIT ?`)
      .all(after, limit + 1)
      .map((row) => ({ source, row, rev: Number(row.rev) })),
  ).sort((one, other) => one.rev - other.rev);
  const shown = found.slice(0, limit);
  const hasMore = found.length > limit;
  return {
    changes: shown
      .map(({ source, row }) => describeChange(connection, source, row))
      .filter((change) => change !== null),
    lastRev: (hasMore ? shown.at(-1)?.rev : undefined) ?? readRevision(connection.prepare),
    hasMore,
  };
}

function describeChange(connection: Connection, source: Source, row: SqlRow): Change | null {
  const id = String(row.id);
  const rev = Number(row.rev);
  switch (source) {
    case 'session': {
      const value = decodeRow(connection, SESSIONS, row);
      return value && { kind: source, id, rev, value };
    }
    case 'request': {
      const value = decodeRow(connection, REQUESTS, row);
      return value && { kind: source, id, rev, value };
    }
    case 'message': {
      const value = decodeRow(connection, MESSAGES, row);
      return value && { kind: source, id, sessionId: value.sessionId, rev, value };
    }
    case 'tombstone': {
      const kind = KindSchema.parse(row.kind);
      return kind === 'message'
        ? { kind, id, sessionId: String(row.session_id), rev, value: null }
        : { kind, id, rev, value: null };
    }
  }
}
