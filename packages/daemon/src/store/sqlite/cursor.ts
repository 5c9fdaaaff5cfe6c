import type { z } from 'zod';
import { type Page, StoreError } from '../store.ts';

/**
 * A cursor is the place of the last row that was shown, not a count: rows that come and go before it move nothing. Cursors come
 * from outside.
 */
function writeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

export function readCursor<Place>(cursor: string, schema: z.ZodType<Place>): Place {
  const parsed = schema.safeParse(parse(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success) return parsed.data;
  throw new StoreError('CURSOR', 'This is not a cursor of such a list. Begin again without one.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Rows are read with one more than asked for: it says whether there is another page. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => (string | number)[],
): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, cursor: rows.length > limit && last !== undefined ? writeCursor(placeOf(last)) : null };
}
