import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { identityOf } from '@agent-mux/core';
import type { Places } from './places.ts';

export interface DaemonRecord {
  schema: 'agent-mux.daemon/1';
  pid: number;
  /** Opaque; with the pid it names one process for ever. */
  startTime: string;
  url: string;
  version: string;
  startedAt: number;
}

/** All of it is for its owner alone, also where somebody has made a folder wider. */
export async function makeFolders(places: Places): Promise<void> {
  for (const folder of [places.root, places.sessions, places.blobs, places.files, places.worktrees]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
}

/** What programs show to be let in. Kept over restarts, so that a program that has read it can go on. */
export async function ensureToken(path: string): Promise<string> {
  const kept = await readToken(path);
  if (kept !== undefined) return kept;
  const token = randomBytes(32).toString('base64url');
  await putFile(path, `${token}\n`);
  return token;
}

/** Undefined: there is none, or one that others could have read; then a new one is made. */
async function readToken(path: string): Promise<string | undefined> {
  try {
    const { mode, uid } = await stat(path);
    const isPrivate = process.platform === 'win32' || ((mode & 0o077) === 0 && uid === process.getuid?.());
    const text = (await readFile(path, 'utf8')).trim();
    return isPrivate && /^[\w-]{40,}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
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
