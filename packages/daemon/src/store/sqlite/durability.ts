import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@agent-mux/core';
import type { Connection } from './connection.ts';
import { toStoreError } from './errors.ts';

export interface Durability {
  /** Resolves when all earlier commits survive a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Commits go to the WAL without syncing it. This syncs it off the main thread. Pages that a checkpoint moved to the
 * database were synced then.
 */
export function openDurability(path: string): Durability {
  let log: FileHandle | null = null;
  const sync = coalesceRuns(async () => {
    try {
      if (log === null) {
        // SQLite uses the same WAL file while a connection is open.
        log = await open(`${path}-wal`, 'r+');
        await syncFolder(dirname(path));
      }
      await log.datasync();
    } catch (failure) {
      throw toStoreError(failure, path);
    }
  });
  let closed = false;
  let isUsed = false;
  return {
    sync: async () => {
      if (closed) throw new Error(`the store ${path} is closed`);
      isUsed = true;
      await sync();
    },
    close: async () => {
      if (closed) return;
      closed = true;
      // After all earlier calls: the WAL is deleted with the last connection, which is closed next.
      if (isUsed) await sync().catch(() => {});
      await log?.close();
    },
  };
}

/** Calls during a run share the next run, since the current one may have started too early for them. */
export function coalesceRuns(run: () => Promise<void>): () => Promise<void> {
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

/** Makes the WAL's file name durable. Windows does this automatically and cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Delay before erasing text from the WAL, so that several changes cost one pass. */
const SCRUB_AFTER_MS = 500;
/** Retry interval while another reader or a full disk blocks it. */
const RETRY_MS = 5000;

export interface LogScrubber {
  /** Schedules a pass after text was replaced or deleted that must not remain in the file. */
  schedule(): void;
  close(): void;
}

/**
 * Erases deleted text from the WAL. SQLite overwrites deleted content in the database (`secure_delete`), but the WAL
 * keeps the old pages until they are overwritten. So it is checkpointed and truncated soon after a deletion.
 */
export function openLogScrubber(connection: Pick<Connection, 'db' | 'report'>): LogScrubber {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function schedule(afterMs = SCRUB_AFTER_MS): void {
    if (!isClosed) timer ??= setTimeout(scrub, afterMs).unref();
  }

  function scrub(): void {
    timer = undefined;
    try {
      if (!truncateWal(connection)) schedule(RETRY_MS);
    } catch (error) {
      connection.report(`the WAL of the store cannot be truncated: ${messageOf(error)}`);
      schedule(RETRY_MS);
    }
  }

  return {
    schedule: () => schedule(),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** False if another process reads the file. Does not wait for it. */
function truncateWal({ db }: Pick<Connection, 'db'>): boolean {
  const before = db.prepare('PRAGMA busy_timeout').get()?.timeout;
  db.exec('PRAGMA busy_timeout = 0');
  try {
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${Number(before)}`);
  }
}
