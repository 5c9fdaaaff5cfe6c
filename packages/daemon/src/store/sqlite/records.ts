import type { SQLOutputValue } from 'node:sqlite';
import type { Connection } from './connection.ts';

/** Undefined if there is none. */
export function getRecord(connection: Connection, kind: string, key: string): unknown {
  const row = connection.prepare('SELECT key, value FROM records WHERE kind = ? AND key = ?').get(kind, key);
  return row ? parseValue(connection, kind, row)?.value : undefined;
}

export function putRecord(connection: Connection, kind: string, key: string, value: unknown, now: number): void {
  connection.transact(() => setRecord(connection, { kind, key, value }, now));
}

/** Within a transaction. */
export function setRecord(
  connection: Connection,
  { kind, key, value }: { kind: string; key: string; value: unknown },
  now: number,
): void {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`the value of record ${kind} ${key} is not serializable`);
  connection
    .prepare(
      `INSERT INTO records (kind, key, value, updated_at) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    )
    .run(kind, key, text, now);
}

export function deleteRecord(connection: Connection, kind: string, key: string): boolean {
  return connection.transact(() => {
    const { changes } = connection.prepare('DELETE FROM records WHERE kind = ? AND key = ?').run(kind, key);
    return Number(changes) > 0;
  });
}

export function listRecords(
  connection: Connection,
  kind: string,
): { key: string; value: unknown; updatedAt: number }[] {
  const rows = connection.prepare('SELECT key, value, updated_at FROM records WHERE kind = ? ORDER BY key').all(kind);
  return rows.flatMap((row) => {
    const parsed = parseValue(connection, kind, row);
    return parsed ? [{ key: String(row.key), value: parsed.value, updatedAt: Number(row.updated_at) }] : [];
  });
}

export function dropRecords(connection: Connection, kind: string, olderThan: number): number {
  return connection.transact(() =>
    Number(connection.prepare('DELETE FROM records WHERE kind = ? AND updated_at < ?').run(kind, olderThan).changes),
  );
}

function parseValue(
  connection: Connection,
  kind: string,
  row: Record<string, SQLOutputValue>,
): { value: unknown } | null {
  try {
    return { value: JSON.parse(String(row.value)) };
  } catch {
    connection.report(`skipping corrupt record ${kind} ${String(row.key)}`);
    return null;
  }
}
