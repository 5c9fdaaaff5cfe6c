import { z } from 'zod';
import type { AuditEntry, AuditQuery } from '../store.ts';
import { createConditions } from './conditions.ts';
import type { Connection } from './connection.ts';

const DetailSchema = z.record(z.string(), z.unknown());
const RowSchema = z.object({
  id: z.int(),
  timestamp: z.number(),
  actor: z.string(),
  action: z.string(),
  sessionId: z.string().nullable(),
  detail: z.string().transform((text, context) => {
    try {
      return DetailSchema.parse(JSON.parse(text));
    } catch {
      context.addIssue('the detail is not a JSON object');
      return z.NEVER;
    }
  }),
});

export function appendAudit(connection: Connection, entry: AuditEntry): void {
  connection.transact(() => {
    connection
      .prepare('INSERT INTO audit (timestamp, actor, action, session_id, detail) VALUES (?, ?, ?, ?, ?)')
      .run(entry.timestamp, entry.actor, entry.action, entry.sessionId, JSON.stringify(entry.detail));
  });
}

export function readAudit(connection: Connection, query: AuditQuery): (AuditEntry & { id: number })[] {
  const conditions = createConditions();
  if (query.sessionId !== undefined) conditions.add('session_id = ?', query.sessionId);
  if (query.after !== undefined) conditions.add('id > ?', query.after);
  if (query.before !== undefined) conditions.add('id < ?', query.before);
  const order = query.after === undefined ? 'DESC' : 'ASC';
  const rows = connection
    .prepare(
      `SELECT id, timestamp, actor, action, session_id AS sessionId, detail FROM audit ${conditions.where()} ORDER BY id ${order} LIMIT ?`,
    )
    .all(...conditions.values, query.limit);
  if (query.after === undefined) rows.reverse();
  return rows.flatMap((row) => {
    const parsed = RowSchema.safeParse(row);
    if (parsed.success) return [parsed.data];
    connection.report(`skipping corrupt audit entry ${String(row.id)}: ${parsed.error.message}`);
    return [];
  });
}
