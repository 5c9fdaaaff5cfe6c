import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@agent-mux/core';
import type { Connection } from './connection.ts';
import { nameFailure } from './errors.ts';

export interface Durability {
  /** Resolves when all that was committed before survives a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What is committed stands in the log, and the log is not waited for at each commit. Here it is, off the main thread: pages that
 * have left the log for the database were waited for when they left.
 */
export function openDurability(path: string): Durability {
  let log: FileHandle | null = null;
  const sync = shareRuns(async () => {
    try {
      if (log === null) {
        // SQLite keeps this one file for as long as a connection is open.
        log = await open(`${path}-wal`, 'r+');
        await syncFolder(dirname(path));
      }
      await log.datasync();
    } catch (failure) {
      throw nameFailure(failure, path);
    }
  });
  let closed = false;
  let isUsed = false;
  return {
    sync: async () => {
      if (closed) throw new Error(`The store ${path} is closed.`);
      isUsed = true;
      await sync();
    },
    close: async () => {
      if (closed) return;
      closed = true;
      // After all earlier calls: the log file is deleted with the last connection, which is closed next.
      if (isUsed) await sync().catch(() => {});
      await log?.close();
    },
  };
}

/** Calls that come while a run is under way share the next one: the one under way may have begun before what they wait for. */
export function shareRuns(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    next = null;
    const started = run().finally(() => {
      if (running === started) running = null;
    });
    running = started;
    return started;
  };
  return () => {
    if (running === null) return start();
    next ??= running.then(start, start);
    return next;
  };
}

/** So that the log's name is there as well. Windows does so by itself, and cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Text that was replaced or deleted leaves the log this much later: several messages that end at once cost one pass. */
const SCRUB_AFTER_MS = 500;
/** A reader of the file, or a full disk, is in the way. */
const RETRY_MS = 5000;

export interface LogScrubber {
  /** Something was replaced or deleted that must not be found in the file any more. */
  ask(): void;
  close(): void;
}

/**
 * SQLite overwrites what is deleted in the database (`secure_delete`), and its log keeps the pages as they were before until
 * it is written over. So the log is copied into the database and cut to nothing, soon after something was taken out.
 */
export function openLogScrubber(connection: Pick<Connection, 'db' | 'report'>): LogScrubber {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function ask(afterMs = SCRUB_AFTER_MS): void {
    if (!isClosed) timer ??= setTimeout(scrub, afterMs).unref();
  }

  function scrub(): void {
    timer = undefined;
    try {
      if (!cutLog(connection)) ask(RETRY_MS);
    } catch (error) {
      connection.report(`The log of the store cannot be cut: ${messageOf(error)}`);
      ask(RETRY_MS);
    }
  }

  return {
    ask: () => ask(),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** False: another process reads the file. It is not waited for. */
function cutLog({ db }: Pick<Connection, 'db'>): boolean {
  const before = db.prepare('PRAGMA busy_timeout').get()?.timeout;
  db.exec('PRAGMA busy_timeout = 0');
  try {
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${Number(before)}`);
  }
}
