import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nameFailure } from './errors.ts';

export interface Durability {
  /** Resolves when all that was committed before survives a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What is committed stands in the log, and the log is not waited for at each commit. Here it is, off the main thread: pages that
 * have left the log for the database were waited for when they left. Calls that come while one is under way share the next.
 */
export function openDurability(path: string): Durability {
  let log: FileHandle | null = null;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
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
  };
  const start = (): Promise<void> => {
    const flushed = flush().finally(() => {
      if (running === flushed) running = null;
    });
    running = flushed;
    return flushed;
  };
  const sync = (): Promise<void> => {
    if (running === null) return start();
    if (next === null) {
      const queued = running
        .catch(() => {})
        .then(() => {
          next = null;
          return start();
        });
      next = queued;
    }
    return next;
  };
  return {
    sync,
    close: async () => {
      await (next ?? running)?.catch(() => {});
      await log?.close();
      log = null;
    },
  };
}

/** So that the log's name is there as well. Windows does so by itself, and cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}
