import { setImmediate } from 'node:timers/promises';
import { createConditions } from './conditions.ts';
import type { Connection } from './connection.ts';
import { deleteSession } from './sessions.ts';

/** A client that has not read changes for this long reads everything again. */
const TOMBSTONES_MS = 30 * 24 * 60 * 60 * 1_000;
/** Pages vacuumed at a time; other calls run in between. */
const VACUUM_PAGES = 500;

/** Deletes sessions one by one. Deletes audit entries by age, unless their session still exists. */
export async function retain(
  connection: Connection,
  limits: { olderThan?: number; maxBytes?: number; keep?: readonly string[] },
): Promise<{ sessions: string[] }> {
  const sessions: string[] = [];
  const dropOldest = async (before: number | undefined): Promise<boolean> => {
    const id = findOldest(connection, before, limits.keep ?? []);
    if (id === null || !deleteSession(connection, id)) return false;
    sessions.push(id);
    await setImmediate();
    return true;
  };
  if (limits.olderThan !== undefined) {
    while (await dropOldest(limits.olderThan));
    dropAudit(connection, limits.olderThan);
  }
  if (limits.maxBytes !== undefined) {
    while (usedBytes(connection) > limits.maxBytes && (await dropOldest(undefined)));
  }
  dropTombstones(connection);
  await vacuum(connection);
  return { sessions };
}

function findOldest(connection: Connection, before: number | undefined, keep: readonly string[]): string | null {
  const conditions = createConditions();
  conditions.add('is_terminated = 1 AND pinned = 0');
  conditions.add(`id NOT IN (SELECT session_id FROM messages WHERE state = 'queued')`);
  if (keep.length > 0) conditions.add('id NOT IN (SELECT value FROM json_each(?))', JSON.stringify(keep));
  if (before !== undefined) conditions.add('last_active_at < ?', before);
  const row = connection
    .prepare(`SELECT id FROM sessions ${conditions.where()} ORDER BY last_active_at, id LIMIT 1`)
    .get(...conditions.values);
  return row ? String(row.id) : null;
}

function dropAudit(connection: Connection, olderThan: number): void {
  connection.transact(() => {
    connection
      .prepare(
        'DELETE FROM audit WHERE timestamp < ? AND (session_id IS NULL OR session_id NOT IN (SELECT id FROM sessions))',
      )
      .run(olderThan);
  });
}

function dropTombstones(connection: Connection): void {
  connection.transact(() => {
    connection.prepare('DELETE FROM tombstones WHERE time < ?').run(connection.now() - TOMBSTONES_MS);
  });
}

async function vacuum(connection: Connection): Promise<void> {
  let free = freePages(connection);
  while (free > 0) {
    connection.db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    const left = freePages(connection);
    if (left >= free) break;
    free = left;
    await setImmediate();
  }
  connection.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

function freePages(connection: Connection): number {
  return readPragma(connection, 'freelist_count');
}

/** Size without free pages. */
function usedBytes(connection: Connection): number {
  return (readPragma(connection, 'page_count') - freePages(connection)) * readPragma(connection, 'page_size');
}

/** Size on disk, without the WAL. */
export function fileBytes(connection: Connection): number {
  return readPragma(connection, 'page_count') * readPragma(connection, 'page_size');
}

function readPragma(connection: Connection, name: 'freelist_count' | 'page_count' | 'page_size'): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}
