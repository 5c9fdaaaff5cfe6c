import type { Session } from '@agent-mux/api';
import { SessionSchema } from '@agent-mux/api/schemas';
import { type SessionChange, type StoredSession, StoreError } from '../store.ts';
import type { Connection, Transaction } from './connection.ts';
import { decodeRow, decodeRows, defineTable, type Form, insertRow, isEmptyChange, updateRow } from './rows.ts';
import { insertTombstones, removeTombstone } from './tombstones.ts';
import { retainUsageOf } from './usage.ts';

/** Stored fields; the others are computed when reading. */
const FORMS: Readonly<Record<keyof StoredSession, Form>> = {
  id: 'plain',
  agent: 'plain',
  mode: 'plain',
  agentSessionId: 'plain',
  title: 'plain',
  summary: 'plain',
  activity: 'plain',
  activitySince: 'plain',
  isTerminated: 'flag',
  parked: 'flag',
  origin: 'plain',
  pinned: 'flag',
  cwd: 'plain',
  workspace: 'json',
  model: 'plain',
  approvalMode: 'plain',
  options: 'json',
  envNames: 'json',
  trustProject: 'flag',
  launch: 'plain',
  launchSeq: 'plain',
  keeperPid: 'plain',
  lastSeq: 'plain',
  turns: 'plain',
  usage: 'json',
  costUsd: 'plain',
  costSource: 'plain',
  limit: 'json',
  waitingFor: 'json',
  onLimit: 'plain',
  budget: 'json',
  account: 'plain',
  error: 'json',
  dismissed: 'plain',
  statusText: 'plain',
  forkedFrom: 'plain',
  tags: 'json',
  metadata: 'json',
  createdAt: 'plain',
  updatedAt: 'plain',
  lastActiveAt: 'plain',
};
export const SESSIONS = defineTable<Session>(
  'sessions',
  { ...FORMS, openRequests: 'plain', queuedMessages: 'plain', rev: 'plain' },
  SessionSchema,
);

/** Both counts use partial indexes, so their cost is proportional to the count. */
export const SELECT_SESSIONS = `SELECT *,
  (SELECT count(*) FROM requests WHERE session_id = sessions.id AND state = 'open') AS open_requests,
  (SELECT count(*) FROM messages WHERE session_id = sessions.id AND state = 'queued') AS queued_messages
  FROM sessions`;

export function insertSession(connection: Connection, session: StoredSession): Session {
  return connection.transact((transaction) => addSession(connection, transaction, session));
}

export function addSession(connection: Connection, transaction: Transaction, session: StoredSession): Session {
  if (connection.prepare('SELECT 1 FROM sessions WHERE id = ?').get(session.id)) {
    throw new StoreError('EXISTS', `session ${session.id} already exists`);
  }
  insertRow(connection, SESSIONS, session, transaction.nextRev());
  removeTombstone(connection, 'session', session.id);
  const inserted = getSession(connection, session.id);
  if (!inserted) throw new TypeError(`session ${session.id} lacks a field`);
  return inserted;
}

export function getSession(connection: Connection, id: string): Session | null {
  const row = connection.prepare(`${SELECT_SESSIONS} WHERE id = ?`).get(id);
  return row ? decodeRow(connection, SESSIONS, row) : null;
}

export function updateSession(connection: Connection, id: string, change: SessionChange): Session | null {
  return connection.transact((transaction) => {
    if (!connection.prepare('SELECT 1 FROM sessions WHERE id = ?').get(id)) return null;
    setSession(connection, transaction, id, change);
    return getSession(connection, id);
  });
}

/** Does not overwrite a limit that was lifted or replaced in the meantime. */
export function updateWithLimit(
  connection: Connection,
  id: string,
  limitId: string | null,
  change: SessionChange,
): Session | null {
  return connection.transact((transaction) => {
    const row = connection.prepare(`SELECT "limit" ->> '$.id' AS "limit" FROM sessions WHERE id = ?`).get(id);
    if (!row || row.limit !== limitId) return null;
    setSession(connection, transaction, id, change);
    return getSession(connection, id);
  });
}

/** Updates an existing session. */
export function setSession(
  connection: Connection,
  transaction: Transaction,
  id: string,
  change: SessionChange & { lastSeq?: number },
): void {
  const { addMetadata, ...fields } = change;
  if (isEmptyChange(change)) return;
  updateRow(connection, SESSIONS, fields, transaction.nextRev(), { sql: 'id = ?', values: [id] });
  if (addMetadata)
    connection
      .prepare('UPDATE sessions SET metadata = json_patch(metadata, ?) WHERE id = ?')
      .run(JSON.stringify(addMetadata), id);
}

/** Updates the revision after one of the session's counts changed. */
export function touchSession(connection: Connection, transaction: Transaction, id: string): void {
  connection.prepare('UPDATE sessions SET rev = ? WHERE id = ?').run(transaction.nextRev(), id);
}

export function listUnfinished(connection: Connection): Session[] {
  const rows = connection
    .prepare(
      `${SELECT_SESSIONS} WHERE is_terminated = 0
        UNION ALL ${SELECT_SESSIONS}
        WHERE is_terminated = 1 AND id IN (SELECT session_id FROM messages WHERE state = 'queued')
        ORDER BY id`,
    )
    .all();
  return decodeRows(connection, SESSIONS, rows);
}

export function deleteSession(connection: Connection, id: string): boolean {
  return connection.transact((transaction) => {
    const found = connection.prepare('SELECT key FROM sessions WHERE id = ?').get(id);
    if (!found) return false;
    retainUsageOf(connection, id);
    insertTombstones(connection, transaction, 'request', id);
    insertTombstones(connection, transaction, 'message', id);
    insertTombstones(connection, transaction, 'session', id);
    for (const table of ['requests', 'messages']) {
      connection.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(id);
    }
    connection.prepare("DELETE FROM records WHERE kind = 'hooks' AND key = ?").run(id);
    connection.prepare('DELETE FROM events WHERE session = ?').run(found.key ?? null);
    connection.prepare('DELETE FROM sessions WHERE id = ?').run(id);
    connection.noteErased();
    return true;
  });
}
