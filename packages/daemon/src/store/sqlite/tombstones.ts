import type { Change } from '../store.ts';
import type { Connection, Transaction } from './connection.ts';

type Kind = Change['kind'];

/** What names a row: of a message its session too, of the others the id alone. */
const ROWS: Readonly<Record<Kind, string>> = {
  session: "SELECT '' AS session_id, id, rev FROM sessions WHERE id = ?",
  request: "SELECT '' AS session_id, id, rev FROM requests WHERE session_id = ?",
  message: 'SELECT session_id, id, rev FROM messages WHERE session_id = ?',
};

/** Remembers the rows of a session that are about to be deleted, each with a revision of its own. */
export function buryRows(connection: Connection, transaction: Transaction, kind: Kind, sessionId: string): void {
  const counted = connection.prepare(`SELECT count(*) AS rows FROM (${ROWS[kind]})`).get(sessionId);
  const rows = Number(counted?.rows);
  const first = transaction.takeRevs(rows) - rows;
  connection
    .prepare(
      `INSERT INTO tombstones (rev, kind, session_id, id, time)
        SELECT ? + row_number() OVER (ORDER BY rev), ?, session_id, id, ? FROM (${ROWS[kind]})`,
    )
    .run(first, kind, connection.now(), sessionId);
}

/** An id that is used again has a row, and so no grave. */
export function removeTombstone(connection: Connection, kind: Kind, id: string, sessionId = ''): void {
  connection.prepare('DELETE FROM tombstones WHERE kind = ? AND session_id = ? AND id = ?').run(kind, sessionId, id);
}
