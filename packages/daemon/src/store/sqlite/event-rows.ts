import { z } from 'zod';
import type { EventPage } from '../store.ts';
import type { Connection } from './connection.ts';
import { type EventLine, type Pack, unpackLines } from './event-pack.ts';

const INSERT = `INSERT INTO events (session, seq_from, seq_to, lines, chars, level, gaps, data)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const SELECT = `SELECT key, seq_from AS seqFrom, seq_to AS seqTo, lines, chars, gaps, data FROM events`;
const RowSchema = z.object({
  key: z.int(),
  seqFrom: z.int(),
  seqTo: z.int(),
  lines: z.int(),
  chars: z.int(),
  gaps: z.string().nullable(),
  data: z.union([z.string(), z.instanceof(Uint8Array)]),
});

export function insertPack(connection: Connection, session: number, pack: Pack, level: number): void {
  connection
    .prepare(INSERT)
    .run(session, pack.seqFrom, pack.seqTo, pack.lines, pack.chars, level, pack.gaps, pack.data);
}

/**
 * Removes the mergeable rows up to a level and returns their lines. If one of them is corrupt, all stay and are never
 * merged again, since unreadable content cannot be rewritten.
 */
export function removeMergeable(connection: Connection, session: number, level: number): EventLine[] {
  const which = 'WHERE session = ? AND level < 2 AND level <= ?';
  const rows = connection.prepare(`${SELECT} ${which} ORDER BY seq_to`).all(session, level);
  const lines = rows.map((row) => unpackRow(connection, session, row));
  const isWhole = lines.every((unpacked) => unpacked !== null);
  connection
    .prepare(isWhole ? `DELETE FROM events ${which}` : `UPDATE events SET level = 2 ${which}`)
    .run(session, level);
  return isWhole ? lines.flat() : [];
}

export function readEvents(
  connection: Connection,
  sessionId: string,
  after: number,
  limit: number,
  maxChars: number,
): EventPage {
  const page: EventPage = { lines: [], lastSeq: after, hasMore: false };
  const found = connection.prepare('SELECT key FROM sessions WHERE id = ?').get(sessionId);
  if (!found) return page;
  const session = Number(found.key);
  let chars = 0;
  const rows = connection.prepare(`${SELECT} WHERE session = ? AND seq_to > ? ORDER BY seq_to`).iterate(session, after);
  for (const row of rows) {
    for (const { seq, line } of unpackRow(connection, session, row) ?? []) {
      if (seq <= after) continue;
      if (page.lines.length > 0 && (page.lines.length >= limit || chars + line.length > maxChars)) {
        return { ...page, hasMore: true };
      }
      page.lines.push(line);
      page.lastSeq = seq;
      chars += line.length;
    }
  }
  return page;
}

/** Null if the row is corrupt, which is reported. */
function unpackRow(connection: Connection, session: number, row: unknown): EventLine[] | null {
  const parsed = RowSchema.safeParse(row);
  try {
    if (parsed.success) return unpackLines(parsed.data);
    throw parsed.error;
  } catch (failure) {
    const which = parsed.success ? `${parsed.data.seqFrom} to ${parsed.data.seqTo}` : 'unknown';
    const why = failure instanceof Error ? failure.message : String(failure);
    connection.report(`skipping corrupt events ${which} of the session with key ${session}: ${why}`);
    return null;
  }
}
