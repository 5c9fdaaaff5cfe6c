import { constants } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { isRecord } from '../values.ts';

/** A native file above this size is not read. Histories of years inside of one are still smaller. */
const NATIVE_FILE_LIMIT = 64 * 1024 * 1024;
const MOST_LINKS = 40;

/** Where a path really leads, also when nothing is there yet: links are followed, those into nothing too. */
export async function realFile(path: string, links = 0): Promise<string> {
  if (links > MOST_LINKS) throw new Error('too many links');
  const found = await lstat(path).catch(absent);
  if (found?.isSymbolicLink()) return realFile(resolve(await realFolder(path), await readlink(path)), links + 1);
  if (found) return realpath(path);
  if (dirname(path) === path) return path;
  return resolve(await realFile(dirname(path), links + 1), basename(path));
}

async function realFolder(path: string): Promise<string> {
  return realpath(dirname(path));
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Undefined: there is none. Throws on what is no file (a pipe would be waited for) and on what is too large. */
export async function readRegularFile(path: string): Promise<Buffer | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await file.stat();
    if (!found.isFile()) throw new Error('it is not a file');
    if (found.size > NATIVE_FILE_LIMIT) throw new Error(`it is larger than ${NATIVE_FILE_LIMIT} bytes`);
    return await file.readFile();
  } catch (error) {
    return absent(error);
  }
}

function absent(error: unknown): undefined {
  if (isRecord(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
  throw error;
}
