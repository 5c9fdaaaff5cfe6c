import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegularFile } from '@agent-mux/core';
import { READ_ONLY } from './segments.ts';

/** What is too large to stand in an event, by the hash of its content; readable for its owner alone. */
export interface Blob {
  sha256: string;
  text: string;
}

const NAME = /^[0-9a-f]{64}$/;
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export function makeBlob(text: string): Blob {
  return { sha256: createHash('sha256').update(text).digest('hex'), text };
}

/** Whole or not at all; returns when it survives a loss of power. Throws where there is no room, and leaves nothing then. */
export function putBlob(folder: string, { sha256, text }: Blob): void {
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
