import { closeSync, constants, fstatSync, fsyncSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@agent-mux/core';

/** A file of a journal: lines of events, the first of which has this seq. */
export interface Segment {
  first: number;
  path: string;
}

const NAME = /^(\d{12})\.jsonl$/;
const NO_LINKS = constants.O_NOFOLLOW ?? 0;

export const READ_ONLY = constants.O_RDONLY | NO_LINKS;
/** A file of that name that is there already is somebody else's. */
export const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | NO_LINKS;

export function segmentPath(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(12, '0')}.jsonl`);
}

/** Oldest first. None where there is no such folder. */
export function listSegments(folder: string): Segment[] {
  return namesIn(folder)
    .flatMap((name) => {
      const digits = NAME.exec(name)?.[1];
      return digits === undefined ? [] : [{ first: Number(digits), path: join(folder, name) }];
    })
    .sort((a, b) => a.first - b.first);
}

/** Undefined: it is no event. */
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

/** A new name survives a loss of power when its folder was written. */
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
