import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isRecord } from '../values.ts';
import { assertAccess } from './look.ts';

/**
 * Files that others have made. Whoever made them may have put something else in their place, so that each is opened without
 * waiting, looked at as it was opened, and read up to a limit: a pipe would be waited for, a device never ends.
 */
export interface ReadingRules {
  /** In bytes. More is refused, not cut off. */
  limit: number;
  /** Default true. False refuses a link in the place of the file itself. */
  followLinks?: boolean;
}

/** For the small files that agent-mux keeps for itself, where others may write too. */
export const OWN_FILE_LIMIT = 4 * 1024 * 1024;

const NO_WAITING = constants.O_NONBLOCK ?? 0;
const NO_LINKS = constants.O_NOFOLLOW ?? 0;
const NO_TERMINAL = constants.O_NOCTTY ?? 0;

/** Throws as `open` does where it cannot be opened, and an error that says what it is where it is no file or too large. */
export async function readRegularFile(path: string, rules: ReadingRules): Promise<Buffer> {
  // Most of what is read whole is looked for and not there. Where links are refused, `open` would say something else of it.
  if (rules.followLinks !== false) await assertAccess(path);
  await using file = await openRegularFile(path, flagsOf(rules));
  const { size } = await file.stat();
  let filling = startFilling(size, rules.limit);
  for (;;) {
    const { bytesRead } = await file.read(filling.buffer, filling.used, filling.buffer.length - filling.used, null);
    if (bytesRead === 0) return filling.buffer.subarray(0, filling.used);
    filling = growFilling(filling, bytesRead, rules.limit);
  }
}

export function readRegularFileSync(path: string, rules: ReadingRules): Buffer {
  const file = openExplained(path, () => openSync(path, flagsOf(rules)));
  try {
    const stats = fstatSync(file);
    assertFile(stats);
    let filling = startFilling(stats.size, rules.limit);
    for (;;) {
      const bytesRead = readSync(file, filling.buffer, filling.used, filling.buffer.length - filling.used, null);
      if (bytesRead === 0) return filling.buffer.subarray(0, filling.used);
      filling = growFilling(filling, bytesRead, rules.limit);
    }
  } finally {
    closeSync(file);
  }
}

/** Opened without waiting, and a file. `flags` as those of `open`; links are followed where they do not forbid it. */
export async function openRegularFile(path: string, flags: number, mode?: number): Promise<FileHandle> {
  const file = await open(path, flags | NO_WAITING | NO_TERMINAL, mode).catch((error: unknown) => {
    throw explainOpenError(path, error);
  });
  try {
    assertFile(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** To be caught with where nothing at a path is as good as any other answer. */
export function ignoreAbsence(error: unknown): undefined {
  if (isAbsence(error)) return undefined;
  throw error;
}

export function isAbsence(error: unknown): boolean {
  return isRecord(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** What a path is, where it is no file. */
export function oddKindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'something else';
}

function flagsOf({ followLinks = true }: ReadingRules): number {
  return constants.O_RDONLY | NO_WAITING | NO_TERMINAL | (followLinks ? 0 : NO_LINKS);
}

function assertFile(stats: Stats): void {
  const kind = oddKindOf(stats);
  if (kind !== undefined) throw new Error(`it is ${kind}, not a file`);
}

function openExplained<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

/** Sockets, and pipes that nobody reads, are refused by `open` itself, in words that nobody understands. */
function explainOpenError(path: string, error: unknown): unknown {
  if (!isRecord(error) || (error.code !== 'ENXIO' && error.code !== 'EISDIR')) return error;
  const stats = statSync(path, { throwIfNoEntry: false });
  const kind = stats && oddKindOf(stats);
  return kind === undefined ? error : new Error(`it is ${kind}, not a file`, { cause: error });
}

interface Filling {
  buffer: Buffer;
  used: number;
}

/** One byte more than the file has: its end is seen without a second buffer. */
function startFilling(size: number, limit: number): Filling {
  if (size > limit) throw tooLarge(size, limit);
  return { buffer: Buffer.allocUnsafe(size + 1), used: 0 };
}

/** It may grow while it is read, and some files do not tell their size. */
function growFilling({ buffer, used }: Filling, bytesRead: number, limit: number): Filling {
  const now = used + bytesRead;
  if (now > limit) throw tooLarge('more', limit);
  if (now < buffer.length) return { buffer, used: now };
  return { buffer: Buffer.concat([buffer], Math.min(limit + 1, buffer.length * 2 + 4096)), used: now };
}

function tooLarge(size: number | 'more', limit: number): Error {
  return new Error(`it has ${size} bytes, and ${limit} are the limit`);
}
