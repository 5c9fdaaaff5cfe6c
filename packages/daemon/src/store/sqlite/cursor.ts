import type { z } from 'zod';
import { type Page, StoreError } from '../store.ts';

/**
 * A cursor is the position of the last returned row, not an offset, so added and removed rows do not shift pages.
 * Cursors come from clients and are validated.
 */
function writeCursor(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

export function readCursor<Position>(cursor: string, schema: z.ZodType<Position>): Position {
  const parsed = schema.safeParse(parse(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success) return parsed.data;
  throw new StoreError('CURSOR', 'not a cursor of this list; start again without one');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Expects one row more than `limit`, which shows whether there is another page. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => (string | number)[],
): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last !== undefined ? writeCursor(positionOf(last)) : null };
}
