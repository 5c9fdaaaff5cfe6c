import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isRecord } from '../values.ts';
import { assertAccess } from './stat.ts';

/**
 * Reads files created by others. They may have been replaced with something else, so each is opened without blocking,
 * checked after opening, and read up to a limit: a pipe would block, a device never ends.
 */
export interface ReadOptions {
  /** In bytes. A larger file is rejected, not truncated. */
  limit: number;
  /** Default true. False rejects a link at the path itself. */
  followLinks?: boolean;
}

/** For agent-mux's own small files, which others could also write. */
export const OWN_FILE_LIMIT = 4 * 1024 * 1024;

const NO_WAITING = constants.O_NONBLOCK ?? 0;
const NO_LINKS = constants.O_NOFOLLOW ?? 0;
const NO_TERMINAL = constants.O_NOCTTY ?? 0;

/**
 * Throws like `open` if the file cannot be opened, and a descriptive error if it is not a regular file or too large.
 */
export async function readRegularFile(path: string, rules: ReadOptions): Promise<Buffer> {
  // Checked first because most files are missing. Without links, `open` would report another error.
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

export function readRegularFileSync(path: string, rules: ReadOptions): Buffer {
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

/** Opens a regular file without blocking. `flags` are those of `open`; links are followed unless they forbid it. */
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

/** For `catch`: treats a missing file as undefined. */
export function ignoreMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

export function isMissing(error: unknown): boolean {
  return isRecord(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** The kind of a path that is not a regular file. */
export function unexpectedKind(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'something else';
}

function flagsOf({ followLinks = true }: ReadOptions): number {
  return constants.O_RDONLY | NO_WAITING | NO_TERMINAL | (followLinks ? 0 : NO_LINKS);
}

function assertFile(stats: Stats): void {
  const kind = unexpectedKind(stats);
  if (kind !== undefined) throw new Error(`it is ${kind}, not a file`);
}

function openExplained<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

/** `open` fails for sockets and for pipes without a reader with an obscure error. */
function explainOpenError(path: string, error: unknown): unknown {
  if (!isRecord(error) || (error.code !== 'ENXIO' && error.code !== 'EISDIR')) return error;
  const stats = statSync(path, { throwIfNoEntry: false });
  const kind = stats && unexpectedKind(stats);
  return kind === undefined ? error : new Error(`it is ${kind}, not a file`, { cause: error });
}

interface Filling {
  buffer: Buffer;
  used: number;
}

/** One byte more than the file size: the end is detected without a second buffer. */
function startFilling(size: number, limit: number): Filling {
  if (size > limit) throw tooLarge(size, limit);
  return { buffer: Buffer.allocUnsafe(size + 1), used: 0 };
}

/** The file may grow while it is read, and some files do not report their size. */
function growFilling({ buffer, used }: Filling, bytesRead: number, limit: number): Filling {
  const now = used + bytesRead;
  if (now > limit) throw tooLarge('more', limit);
  if (now < buffer.length) return { buffer, used: now };
  return { buffer: Buffer.concat([buffer], Math.min(limit + 1, buffer.length * 2 + 4096)), used: now };
}

function tooLarge(size: number | 'more', limit: number): Error {
  return new Error(`it has ${size} bytes; the limit is ${limit}`);
}
