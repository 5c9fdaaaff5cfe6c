import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { ignoreMissing } from './regular-file.ts';

const MAX_LINKS = 40;

/** Resolves a path whose target may not exist yet: follows all links, including dangling ones. */
export async function resolveRealFile(path: string, links = 0): Promise<string> {
  if (links > MAX_LINKS) throw new Error('too many links');
  const found = await lstat(path).catch(ignoreMissing);
  if (found?.isSymbolicLink())
    return resolveRealFile(resolve(await resolveRealFolder(path), await readlink(path)), links + 1);
  if (found) return realpath(path);
  if (dirname(path) === path) return path;
  return resolve(await resolveRealFile(dirname(path), links + 1), basename(path));
}

async function resolveRealFolder(path: string): Promise<string> {
  return realpath(dirname(path));
}
