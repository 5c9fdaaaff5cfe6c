import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, openRegularFile } from '@agent-mux/core';
import { READ_ONLY } from './segments.ts';

/** What is too large to stand in an event, by the hash of its content; readable for its owner alone. */
export interface Blob {
  sha256: string;
  text: string;
}

/** In a session's folder. */
const BLOBS_OF_SESSION = 'blobs';
const NAME = /^[0-9a-f]{64}$/;
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export function makeBlob(text: string): Blob {
  return { sha256: createHash('sha256').update(text).digest('hex'), text };
}

/**
 * Whole or not at all; returns when it survives a loss of power. Throws where there is no room, and leaves nothing then. A second
 * name of the same file in `owner`, the session's folder, says that it is needed: what has lost all of those can go.
 */
export function putBlob(folder: string, blob: Blob, owner: string): void {
  const own = join(owner, BLOBS_OF_SESSION);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const path = join(own, blob.sha256);
  while (!existsSync(path)) {
    writeBlob(folder, blob);
    claim(join(folder, blob.sha256), path);
  }
}

/** Blobs that no session needs any more. */
export async function dropUnclaimedBlobs(folder: string, olderThan: number): Promise<number> {
  let dropped = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    // One that was just written is about to be claimed.
    if (!found || found.nlink > 1 || found.mtimeMs > olderThan) continue;
    await rm(path, { force: true });
    dropped += 1;
  }
  return dropped;
}

function claim(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch (error) {
    // It was dropped in this moment, and is written once more; or another run of this session was faster.
    if (!isRecord(error) || (error.code !== 'ENOENT' && error.code !== 'EEXIST')) throw error;
  }
}

function writeBlob(folder: string, { sha256, text }: Blob): void {
  const path = join(folder, sha256);
  if (existsSync(path)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeWhole(unfinished, Buffer.from(text));
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Null: there is no such blob. */
export async function openBlob(folder: string, sha256: string): Promise<FileHandle | null> {
  if (!NAME.test(sha256)) return null;
  return openRegularFile(join(folder, sha256), READ_ONLY).catch(() => null);
}

function writeWhole(path: string, content: Buffer): void {
  const file = openSync(path, NEW, 0o600);
  try {
    let written = 0;
    while (written < content.length) written += writeSync(file, content, written);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
