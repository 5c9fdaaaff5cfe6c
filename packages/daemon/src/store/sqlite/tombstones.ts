import type { Change } from '../store.ts';
import type { Connection, Transaction } from './connection.ts';

type Kind = Change['kind'];

/** Identifies rows: by session and id for messages, by id for others. */
const ROWS: Readonly<Record<Kind, string>> = {
  session: "SELECT '' AS session_id, id, rev FROM sessions WHERE id = ?",
  request: "SELECT '' AS session_id, id, rev FROM requests WHERE session_id = ?",
  message: 'SELECT session_id, id, rev FROM messages WHERE session_id = ?',
};

/** Records the rows of a session that is about to be deleted, each with its own revision. */
export function insertTombstones(
  connection: Connection,
  transaction: Transaction,
  kind: Kind,
  sessionId: string,
): void {
  const counted = connection.prepare(`SELECT count(*) AS rows FROM (${ROWS[kind]})`).get(sessionId);
  const rows = Number(counted?.rows);
  const first = transaction.reserveRevs(rows) - rows;
  connection
    .prepare(
      `INSERT INTO tombstones (rev, kind, session_id, id, time)
        SELECT ? + row_number() OVER (ORDER BY rev), ?, session_id, id, ? FROM (${ROWS[kind]})`,
    )
    .run(first, kind, connection.now(), sessionId);
}

/** Removes the tombstone of an id that is used again. */
export function removeTombstone(connection: Connection, kind: Kind, id: string, sessionId = ''): void {
  connection.prepare('DELETE FROM tombstones WHERE kind = ? AND session_id = ? AND id = ?').run(kind, sessionId, id);
}
