import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { identityOf, messageOf } from '@agent-mux/core';
import type { Places } from './places.ts';
import type { DaemonRecord } from './start/record.ts';

/** All of it is for its owner alone, also where somebody has made a folder wider. */
export async function makeFolders(places: Places): Promise<void> {
  for (const folder of [places.root, places.sessions, places.blobs, places.files, places.worktrees]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
}

/** Says where this daemon is found. */
export async function writeRecord(
  path: string,
  at: Pick<DaemonRecord, 'url' | 'version' | 'startedAt'>,
): Promise<DaemonRecord> {
  const startTime = identityOf(process.pid)?.startTime ?? '';
  const record: DaemonRecord = { schema: 'agent-mux.daemon/1', pid: process.pid, startTime, ...at };
  await putFile(path, `${JSON.stringify(record)}\n`);
  return record;
}

/** How often a daemon checks that it can be found. */
const RECORD_CHECK_MS = 1000;

/** Writes the record again where it was deleted or garbled: commands would start a second daemon, which could only wait. */
export function keepRecord(path: string, record: DaemonRecord, log: (line: string) => void): () => Promise<void> {
  const text = `${JSON.stringify(record)}\n`;
  let isOver = false;
  let writing = Promise.resolve();
  const check = async () => {
    if (isOver || (await readFile(path, 'utf8').catch(() => '')) === text || isOver) return;
    await putFile(path, text);
    log(`${path} was deleted or changed, and is written again`);
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
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(unfinished, text, { mode: 0o600, flag: 'wx' });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
