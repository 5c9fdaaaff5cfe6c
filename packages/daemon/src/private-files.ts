import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { identityOf, messageOf } from '@agent-mux/core';
import type { DaemonPaths } from './paths.ts';
import type { DaemonRecord } from './start/record.ts';

/** Creates the folders for their owner only, and tightens the mode of existing ones. */
export async function createPrivateDirs(paths: DaemonPaths): Promise<void> {
  for (const folder of [paths.root, paths.sessions, paths.blobs, paths.files, paths.worktrees]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
}

/** Writes the record by which clients find this daemon. */
export async function writeRecord(
  path: string,
  at: Pick<DaemonRecord, 'url' | 'version' | 'startedAt'>,
): Promise<DaemonRecord> {
  const startTime = identityOf(process.pid)?.startTime ?? '';
  const record: DaemonRecord = { schema: 'agent-mux.daemon/1', pid: process.pid, startTime, ...at };
  await putFile(path, `${JSON.stringify(record)}\n`);
  return record;
}

/** How often the daemon checks that its record is intact. */
const RECORD_CHECK_MS = 1000;

/**
 * Restores the record if it is deleted or changed. Without it, commands would start a second daemon, which could only
 * wait for this one.
 */
export function keepRecord(path: string, record: DaemonRecord, log: (line: string) => void): () => Promise<void> {
  const text = `${JSON.stringify(record)}\n`;
  let isOver = false;
  let writing = Promise.resolve();
  const check = async () => {
    if (isOver || (await readFile(path, 'utf8').catch(() => '')) === text || isOver) return;
    await putFile(path, text);
    log(`${path} was deleted or changed and has been rewritten`);
  };
  const timer = setInterval(() => {
    writing = writing.then(check).catch((error: unknown) => log(`${path}: ${messageOf(error)}`));
  }, RECORD_CHECK_MS).unref();
  return async () => {
    isOver = true;
    clearInterval(timer);
    await writing;
  };
}

export async function removeRecord(path: string): Promise<void> {
  await rm(path, { force: true });
}

async function putFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
