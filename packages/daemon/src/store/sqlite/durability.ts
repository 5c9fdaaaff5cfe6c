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
  return {
    sync: async () => {
      if (closed) throw new Error(`The store ${path} is closed.`);
      await sync();
    },
    close: async () => {
      if (closed) return;
      closed = true;
      // Behind all that were asked for.
      if (log !== null) await sync().catch(() => {});
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
