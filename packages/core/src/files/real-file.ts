import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { ignoreAbsence } from './regular-file.ts';

const MOST_LINKS = 40;

/** Where a path really leads, also when nothing is there yet: links are followed, those into nothing too. */
export async function resolveRealFile(path: string, links = 0): Promise<string> {
  if (links > MOST_LINKS) throw new Error('too many links');
  const found = await lstat(path).catch(ignoreAbsence);
  if (found?.isSymbolicLink())
    return resolveRealFile(resolve(await resolveRealFolder(path), await readlink(path)), links + 1);
  if (found) return realpath(path);
  if (dirname(path) === path) return path;
  return resolve(await resolveRealFile(dirname(path), links + 1), basename(path));
}

async function resolveRealFolder(path: string): Promise<string> {
  return realpath(dirname(path));
}
