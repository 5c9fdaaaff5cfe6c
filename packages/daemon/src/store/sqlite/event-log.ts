import type { Connection } from './connection.ts';
import { type EventLine, packLines, SMALL_CHARS } from './event-pack.ts';
import { insertPack, removeMergeable } from './event-rows.ts';

/**
 * A row per batch would be a row per word of an answer. So rows have levels: small rows (0) are merged into medium rows
 * (1) when there are enough of them or a turn ends, and those into full rows (2), which never change. An event is
 * written at most three times, and a session has at most a few dozen rows that are not full. Within a session, full
 * rows come before medium rows, and those before small rows.
 */
const LIMITS = {
  small: { rows: 64, chars: 32 * 1024 },
  medium: { rows: 16, chars: 64 * 1024 },
} as const;
const MEDIUM = 1;
const FULL = 2;
/** Characters of a full row. */
const FULL_CHARS = 64 * 1024;
/** Fewer small rows are not merged when a turn ends. */
const MIN_MERGE_ROWS = 8;

interface Pile {
  rows: number;
  chars: number;
}

interface Piles {
  small: Pile;
  medium: Pile;
  /** The session's last seq when the rows were counted. */
  lastSeq: number;
}

export interface EventLog {
  /** Appends lines after `lastSeq`; the session is at `to` then. */
  append(session: number, lines: readonly EventLine[], range: { lastSeq: number; to: number }): void;
  /** Merges small rows; called after the append that ends a turn. */
  compact(session: number): void;
  /** Drops cached counts, which may be wrong after a rollback. */
  forget(): void;
}

/** Maximum number of cached counts. Dropped ones are counted again. */
const MAX_SESSIONS = 10_000;

export function openEventLog(connection: Connection): EventLog {
  const cache = new Map<number, Piles>();

  /** Counts again if another process has written to the session. */
  const pilesAt = (session: number, lastSeq: number): Piles => {
    let piles = cache.get(session);
    if (piles?.lastSeq !== lastSeq) {
      if (cache.size >= MAX_SESSIONS) cache.clear();
      piles = countPiles(connection, session, lastSeq);
      cache.set(session, piles);
    }
    return piles;
  };

  /** Removes the rows up to this level from the table and returns their lines. */
  const removeRows = (session: number, piles: Piles, level: number): EventLine[] => {
    const lines = removeMergeable(connection, session, level);
    piles.small = { rows: 0, chars: 0 };
    if (level >= MEDIUM) piles.medium = { rows: 0, chars: 0 };
    return lines;
  };

  /** Inserts a row and merges the rows of lower levels right before it into it. */
  const insert = (session: number, piles: Piles, options: readonly EventLine[], atLeast: number): void => {
    let lines = options;
    let level = Math.max(atLeast, levelOf(lines));
    while ((level > 0 && piles.small.rows > 0) || (level === FULL && piles.medium.rows > 0)) {
      lines = [...removeRows(session, piles, level - 1), ...lines];
      level = Math.max(level, levelOf(lines));
    }
    const pack = packLines(lines);
    insertPack(connection, session, pack, level);
    if (level === FULL) return;
    const size = level === MEDIUM ? 'medium' : 'small';
    const pile = piles[size];
    pile.rows += 1;
    pile.chars += pack.chars;
    const limit = LIMITS[size];
    if (pile.rows >= limit.rows || pile.chars >= limit.chars) merge(session, piles, level);
  };

  const merge = (session: number, piles: Piles, level: number): void => {
    const lines = removeRows(session, piles, level);
    if (lines.length > 0) insert(session, piles, lines, level + 1);
  };

  return {
    append: (session, lines, { lastSeq, to }) => {
      const piles = pilesAt(session, lastSeq);
      if (lines.length > 0) insert(session, piles, lines, 0);
      piles.lastSeq = to;
    },
    compact: (session) => {
      const piles = cache.get(session);
      if (piles && piles.small.rows >= MIN_MERGE_ROWS) merge(session, piles, 0);
    },
    forget: () => cache.clear(),
  };
}

function levelOf(lines: readonly EventLine[]): number {
  const chars = lines.reduce((sum, { line }) => sum + line.length + 1, -1);
  if (chars < SMALL_CHARS) return 0;
  return chars < FULL_CHARS ? MEDIUM : FULL;
}

function countPiles(connection: Connection, session: number, lastSeq: number): Piles {
  const piles: Piles = { small: { rows: 0, chars: 0 }, medium: { rows: 0, chars: 0 }, lastSeq };
  const counted = connection
    .prepare(
      'SELECT level, count(*) AS rows, sum(chars) AS chars FROM events WHERE session = ? AND level < 2 GROUP BY 1',
    )
    .all(session);
  for (const { level, rows, chars } of counted) {
    piles[level === MEDIUM ? 'medium' : 'small'] = { rows: Number(rows), chars: Number(chars) };
  }
  return piles;
}
