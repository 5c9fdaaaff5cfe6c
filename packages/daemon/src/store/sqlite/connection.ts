import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isPassing } from '../store.ts';
import { openLogScrubber } from './durability.ts';
import { toStoreError } from './errors.ts';
import { migrate, type Step } from './migrations.ts';
import { createPrivateFile } from './private-file.ts';

/** How long a call waits for another process that writes, such as a backup tool. */
const BUSY_MS = 5_000;
/** WAL pages after which a commit runs a checkpoint. */
const PAGES_PER_CHECKPOINT = 4_000;
/** The WAL is truncated to this size at a checkpoint. */
const MAX_WAL_BYTES = 32 * 1024 * 1024;

export interface Connection {
  readonly path: string;
  readonly db: DatabaseSync;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives each non-fatal corruption of the store once. */
  readonly report: (problem: string) => void;
  /** Call after text was replaced or deleted; it is soon erased from the files. */
  noteErased(): void;
  /** Returns a cached statement. */
  prepare(sql: string): StatementSync;
  close(): void;
  /** Runs `work` in a transaction. Rolls back and rethrows if it throws. */
  transact<Result>(work: (transaction: Transaction) => Result): Result;
}

export interface Transaction {
  /** The next revision, one per changed row. */
  nextRev(): number;
  /** Reserves several revisions and returns the last. */
  reserveRevs(count: number): number;
}

export interface ConnectionOptions {
  now: () => number;
  report: (problem: string) => void;
  /** Called after each write: null on success, else the storage error. */
  wrote?: ((problem: string | null) => void) | undefined;
  steps: readonly Step[];
}

export function connect(path: string, options: ConnectionOptions): Connection {
  createPrivateFile(path);
  const db = new DatabaseSync(path, { timeout: BUSY_MS, enableForeignKeyConstraints: false });
  try {
    migrate(db, path, options.steps);
    db.exec(`
      PRAGMA synchronous = NORMAL;
      PRAGMA secure_delete = ON;
      PRAGMA foreign_keys = ON;
      PRAGMA wal_autocheckpoint = ${PAGES_PER_CHECKPOINT};
      PRAGMA journal_size_limit = ${MAX_WAL_BYTES};
    `);
    // LIKE ignores case for ASCII only.
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
  // A killed process may have left deleted text in the WAL.
  scrubber.schedule();
  return {
    path,
    db,
    now: options.now,
    report,
    noteErased: scrubber.schedule,
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
        revisions.save();
        prepare('COMMIT').run();
        wrote(null);
        return result;
      } catch (failure) {
        // A full disk may have already rolled it back.
        if (db.isTransaction) db.exec('ROLLBACK');
        const named = toStoreError(failure, path);
        if (isPassing(named)) wrote(named.message);
        throw named;
      }
    },
  };
}

/** Reads and writes the revision at most once per transaction, and only if a row changed. */
function countRevisions(prepare: Connection['prepare']): Transaction & { save(): void } {
  let revision: number | null = null;
  const reserveRevs = (count: number): number => {
    revision = (revision ?? readRevision(prepare)) + count;
    return revision;
  };
  return {
    reserveRevs,
    nextRev: () => reserveRevs(1),
    save: () => {
      if (revision !== null) prepare('UPDATE revision SET rev = ?').run(revision);
    },
  };
}

export function readRevision(prepare: Connection['prepare']): number {
  return Number(prepare('SELECT rev FROM revision').get()?.rev ?? 0);
}

/** Bounds the reports for a store that is corrupt throughout. */
const MAX_REPORTS = 1_000;

function reportOnce(report: (problem: string) => void): (problem: string) => void {
  const reported = new Set<string>();
  return (problem) => {
    if (reported.has(problem) || reported.size >= MAX_REPORTS) return;
    reported.add(problem);
    report(problem);
  };
}
