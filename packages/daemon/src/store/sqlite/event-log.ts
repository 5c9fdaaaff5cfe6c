import type { Connection } from './connection.ts';
import { type EventLine, packLines, SMALL_CHARS } from './event-pack.ts';
import { insertPack, takeMergeable } from './event-rows.ts';

/**
 * A row per delivery would be a row per word of an answer. So rows have a level: small ones (0) are merged into medium ones (1)
 * when they have piled up or a turn has ended, and those into full ones (2), which stay as they are. An event is written three
 * times at most, and a session has never more than a few dozen rows that are not full. Within a session all full rows stand
 * before all medium ones, and those before the small ones.
 */
const LIMITS = {
  small: { rows: 64, chars: 32 * 1024 },
  medium: { rows: 16, chars: 64 * 1024 },
} as const;
const MEDIUM = 1;
const FULL = 2;
/** A row of so much text is full. */
const FULL_CHARS = 64 * 1024;
/** Fewer small rows than this are left alone when a turn ends. */
const WORTH_MERGING = 8;

interface Pile {
  rows: number;
  chars: number;
}

interface Piles {
  small: Pile;
  medium: Pile;
  /** The last seq that they were counted with. */
  lastSeq: number;
}

export interface EventLog {
  /** What comes behind `lastSeq`, and brings the session to `to`. */
  append(session: number, lines: readonly EventLine[], range: { lastSeq: number; to: number }): void;
  /** A good moment, right after an append: the turn has ended. */
  settle(session: number): void;
  /** A transaction was undone: what was thought of the rows may be wrong. */
  forget(): void;
}

/** Bounded by forgetting: what is forgotten is counted again. */
const MOST_SESSIONS = 10_000;

export function openEventLog(connection: Connection): EventLog {
  const known = new Map<number, Piles>();

  /** Counted anew where another process has written to the session. */
  const pilesAt = (session: number, lastSeq: number): Piles => {
    let piles = known.get(session);
    if (piles?.lastSeq !== lastSeq) {
      if (known.size >= MOST_SESSIONS) known.clear();
      piles = countPiles(connection, session, lastSeq);
      known.set(session, piles);
    }
    return piles;
  };

  /** Takes the rows up to this level out of the table. */
  const take = (session: number, piles: Piles, level: number): EventLine[] => {
    const lines = takeMergeable(connection, session, level);
    piles.small = { rows: 0, chars: 0 };
    if (level >= MEDIUM) piles.medium = { rows: 0, chars: 0 };
    return lines;
  };

  /** A row takes those of lower levels into itself: they stand right before it. */
  const insert = (session: number, piles: Piles, given: readonly EventLine[], atLeast: number): void => {
    let lines = given;
    let level = Math.max(atLeast, levelOf(lines));
    while ((level > 0 && piles.small.rows > 0) || (level === FULL && piles.medium.rows > 0)) {
      lines = [...take(session, piles, level - 1), ...lines];
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
    const lines = take(session, piles, level);
    if (lines.length > 0) insert(session, piles, lines, level + 1);
  };

  return {
    append: (session, lines, { lastSeq, to }) => {
      const piles = pilesAt(session, lastSeq);
      if (lines.length > 0) insert(session, piles, lines, 0);
      piles.lastSeq = to;
    },
    settle: (session) => {
      const piles = known.get(session);
      if (piles && piles.small.rows >= WORTH_MERGING) merge(session, piles, 0);
    },
    forget: () => known.clear(),
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
