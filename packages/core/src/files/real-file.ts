import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { absent } from './regular-file.ts';

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
