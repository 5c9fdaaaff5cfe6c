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

/** Content that is too large for an event, stored under its hash and readable by its owner only. */
export interface Blob {
  sha256: string;
  text: string;
}

/** Subfolder of a session's folder. */
const SESSION_BLOBS = 'blobs';
const NAME = /^[0-9a-f]{64}$/;
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export function createBlob(text: string): Blob {
  return { sha256: createHash('sha256').update(text).digest('hex'), text };
}

/**
 * Writes a blob atomically and durably. Throws on a full disk and then leaves no file. A hard link in `owner`, the
 * session's folder, marks the blob as used; blobs without links can be deleted.
 */
export function putBlob(folder: string, blob: Blob, owner: string): void {
  const links = join(owner, SESSION_BLOBS);
  mkdirSync(links, { recursive: true, mode: 0o700 });
  const path = join(links, blob.sha256);
  while (!existsSync(path)) {
    writeBlob(folder, blob);
    claim(join(folder, blob.sha256), path);
  }
}

/** Deletes blobs that no session uses and returns their number. */
export async function dropUnclaimedBlobs(folder: string, olderThan: number): Promise<number> {
  let dropped = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    // A recently written blob is about to be claimed.
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
    // The blob was just deleted and is written again, or another run of this session has already claimed it.
    if (!isRecord(error) || (error.code !== 'ENOENT' && error.code !== 'EEXIST')) throw error;
  }
}

function writeBlob(folder: string, { sha256, text }: Blob): void {
  const path = join(folder, sha256);
  if (existsSync(path)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeWhole(temporary, Buffer.from(text));
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Null if the blob does not exist. */
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
