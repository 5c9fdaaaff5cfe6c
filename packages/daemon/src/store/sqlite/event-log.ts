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
  medium: { rows: 16, chars: 128 * 1024 },
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

export interface EventLog {
  append(session: number, lines: readonly EventLine[]): void;
  /** A good moment: the turn has ended. */
  settle(session: number): void;
  /** A transaction was undone: what was thought of the rows may be wrong. */
  forget(): void;
}

/** Bounded by forgetting: what is forgotten is counted again. */
const MOST_SESSIONS = 10_000;

export function openEventLog(connection: Connection): EventLog {
  const piles = new Map<number, [small: Pile, medium: Pile]>();

  const pilesOf = (session: number): [small: Pile, medium: Pile] => {
    let found = piles.get(session);
    if (!found) {
      if (piles.size >= MOST_SESSIONS) piles.clear();
      found = countPiles(connection, session);
      piles.set(session, found);
    }
    return found;
  };

  /** Takes the rows up to this level out of the table. */
  const take = (session: number, level: number): EventLine[] => {
    const [small, medium] = pilesOf(session);
    const lines = takeMergeable(connection, session, level);
    Object.assign(small, { rows: 0, chars: 0 });
    if (level >= MEDIUM) Object.assign(medium, { rows: 0, chars: 0 });
    return lines;
  };

  /** A row takes those of lower levels into itself: they stand right before it. */
  const insert = (session: number, given: readonly EventLine[], atLeast: number): void => {
    const [small, medium] = pilesOf(session);
    let lines = given;
    let level = Math.max(atLeast, levelOf(lines));
    while ((level > 0 && small.rows > 0) || (level === FULL && medium.rows > 0)) {
      lines = [...take(session, level - 1), ...lines];
      level = Math.max(level, levelOf(lines));
    }
    const pack = packLines(lines);
    insertPack(connection, session, pack, level);
    if (level === FULL) return;
    const pile = level === MEDIUM ? medium : small;
    pile.rows += 1;
    pile.chars += pack.chars;
    const limit = LIMITS[level === MEDIUM ? 'medium' : 'small'];
    if (pile.rows >= limit.rows || pile.chars >= limit.chars) merge(session, level);
  };

  const merge = (session: number, level: number): void => {
    const lines = take(session, level);
    if (lines.length > 0) insert(session, lines, level + 1);
  };

  return {
    append: (session, lines) => {
      if (lines.length > 0) insert(session, lines, 0);
    },
    settle: (session) => {
      if (pilesOf(session)[0].rows >= WORTH_MERGING) merge(session, 0);
    },
    forget: () => piles.clear(),
  };
}

function levelOf(lines: readonly EventLine[]): number {
  const chars = lines.reduce((sum, { line }) => sum + line.length + 1, -1);
  if (chars < SMALL_CHARS) return 0;
  return chars < FULL_CHARS ? MEDIUM : FULL;
}

function countPiles(connection: Connection, session: number): [small: Pile, medium: Pile] {
  const piles: [small: Pile, medium: Pile] = [
    { rows: 0, chars: 0 },
    { rows: 0, chars: 0 },
  ];
  const counted = connection
    .prepare(
      'SELECT level, count(*) AS rows, sum(chars) AS chars FROM events WHERE session = ? AND level < 2 GROUP BY 1',
    )
    .all(session);
  for (const { level, rows, chars } of counted) {
    piles[level === MEDIUM ? 1 : 0] = { rows: Number(rows), chars: Number(chars) };
  }
  return piles;
}
