import { closeSync, constants, fstatSync, fsyncSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@agent-mux/core';

/** A journal file of event lines; the first line has the seq `first`. */
export interface Segment {
  first: number;
  path: string;
}

const NAME = /^(\d{12})\.jsonl$/;
const NO_LINKS = constants.O_NOFOLLOW ?? 0;

export const READ_ONLY = constants.O_RDONLY | NO_LINKS;
/** Fails if the file exists: it would belong to another writer. */
export const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | NO_LINKS;

export function segmentPath(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(12, '0')}.jsonl`);
}

/** Oldest first. Empty if the folder does not exist. */
export function listSegments(folder: string): Segment[] {
  return namesIn(folder)
    .flatMap((name) => {
      const digits = NAME.exec(name)?.[1];
      return digits === undefined ? [] : [{ first: Number(digits), path: join(folder, name) }];
    })
    .sort((a, b) => a.first - b.first);
}

/** Undefined if the line is not an event. */
export function seqOf(line: string): number | undefined {
  try {
    const event: unknown = JSON.parse(line);
    return isRecord(event) && Number.isSafeInteger(event.seq) ? Number(event.seq) : undefined;
  } catch {
    return undefined;
  }
}

export function readAt(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, READ_ONLY);
  try {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, fstatSync(file).size - offset)));
    let used = 0;
    while (used < buffer.length) {
      const read = readSync(file, buffer, used, buffer.length - used, offset + used);
      if (read === 0) break;
      used += read;
    }
    return buffer.subarray(0, used);
  } finally {
    closeSync(file);
  }
}

/** Makes new file names survive a power loss. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isRecord(error) && error.code === 'ENOENT') return [];
    throw error;
  }
}
