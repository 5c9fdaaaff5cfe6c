import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isPassing } from '../store.ts';
import { openLogScrubber } from './durability.ts';
import { nameFailure } from './errors.ts';
import { migrate, type Step } from './migrations.ts';
import { makePrivateFile } from './private-file.ts';

/** How long a call waits for another process that writes, a copying tool for example. */
const BUSY_MS = 5_000;
/** Pages in the log after which a commit copies them into the database. */
const PAGES_PER_CHECKPOINT = 4_000;
/** The log is cut to this when its pages are copied. */
const LOG_BYTES = 32 * 1024 * 1024;

export interface Connection {
  readonly path: string;
  readonly db: DatabaseSync;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes what is wrong with the store's content and does not stop anything, once each. */
  readonly report: (problem: string) => void;
  /** Text was replaced or deleted: soon nothing of it is in the file. */
  noteErased(): void;
  /** The same statement for the same text. */
  prepare(sql: string): StatementSync;
  close(): void;
  /** All of it or nothing. What it throws is thrown on. */
  transact<Result>(work: (transaction: Transaction) => Result): Result;
}

export interface Transaction {
  /** The next revision: one for every row that changes. */
  nextRev(): number;
  /** As many at once; the last one is returned. */
  takeRevs(count: number): number;
}

export interface ConnectionOptions {
  now: () => number;
  report: (problem: string) => void;
  /** Called after each write: null where it has succeeded, else why the disk did not take it. */
  wrote?: ((problem: string | null) => void) | undefined;
  steps: readonly Step[];
}

export function connect(path: string, options: ConnectionOptions): Connection {
  makePrivateFile(path);
  const db = new DatabaseSync(path, { timeout: BUSY_MS, enableForeignKeyConstraints: false });
  try {
    migrate(db, path, options.steps);
    db.exec(`
      PRAGMA synchronous = NORMAL;
      PRAGMA secure_delete = ON;
      PRAGMA foreign_keys = ON;
      PRAGMA wal_autocheckpoint = ${PAGES_PER_CHECKPOINT};
      PRAGMA journal_size_limit = ${LOG_BYTES};
    `);
    // LIKE knows upper and lower case of ASCII alone.
    db.function('has_text', { deterministic: true }, (text, part) =>
      typeof text === 'string' && typeof part === 'string' && text.toLowerCase().includes(part) ? 1 : 0,
    );
    return connectionOf(db, path, options);
  } catch (failure) {
    db.close();
    throw failure;
  }
}

function connectionOf(db: DatabaseSync, path: string, options: ConnectionOptions): Connection {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const { wrote = () => {} } = options;
  const report = reportOnce(options.report);
  const scrubber = openLogScrubber({ db, report });
  // A process that was killed may have left something in the log.
  scrubber.ask();
  return {
    path,
    db,
    now: options.now,
    report,
    noteErased: scrubber.ask,
    close() {
      scrubber.close();
      db.close();
    },
    prepare,
    transact: (work) => {
      try {
        prepare('BEGIN IMMEDIATE').run();
        const revisions = countRevisions(prepare);
        const result = work(revisions);
        revisions.keep();
        prepare('COMMIT').run();
        wrote(null);
        return result;
      } catch (failure) {
        // A full disk may have undone it already.
        if (db.isTransaction) db.exec('ROLLBACK');
        const named = nameFailure(failure, path);
        if (isPassing(named)) wrote(named.message);
        throw named;
      }
    },
  };
}

/** Read and written once per transaction, and only where a row has changed. */
function countRevisions(prepare: Connection['prepare']): Transaction & { keep(): void } {
  let revision: number | null = null;
  const takeRevs = (count: number): number => {
    revision = (revision ?? readRevision(prepare)) + count;
    return revision;
  };
  return {
    takeRevs,
    nextRev: () => takeRevs(1),
    keep: () => {
      if (revision !== null) prepare('UPDATE revision SET rev = ?').run(revision);
    },
  };
}

export function readRevision(prepare: Connection['prepare']): number {
  return Number(prepare('SELECT rev FROM revision').get()?.rev ?? 0);
}

/** Bounded: a store that is broken all over is not told about row by row. */
const MOST_REPORTS = 1_000;

function reportOnce(report: (problem: string) => void): (problem: string) => void {
  const told = new Set<string>();
  return (problem) => {
    if (told.has(problem) || told.size >= MOST_REPORTS) return;
    told.add(problem);
    report(problem);
  };
}
