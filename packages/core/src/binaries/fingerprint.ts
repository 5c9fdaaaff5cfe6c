import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A launcher lies at most so many folders below the package.json of its package. */
const MOST_FOLDERS = 6;

/**
 * What changes when a command is installed anew: the file that it really is, and the package.json that this file belongs to,
 * since a launcher may stay the same while what it launches is replaced. Undefined: nothing can be looked at.
 */
export async function fingerprintOf(command: string): Promise<string | undefined> {
  try {
    const file = await realpath(command);
    return JSON.stringify([file, await lookOf(file), await packageOf(file)]);
  } catch {
    return undefined;
  }
}

async function packageOf(file: string): Promise<number[] | null> {
  let folder = dirname(file);
  for (let above = 0; above < MOST_FOLDERS && basename(folder) !== 'node_modules'; above += 1) {
    const found = await lookOf(join(folder, 'package.json')).catch(() => null);
    if (found || dirname(folder) === folder) return found;
    folder = dirname(folder);
  }
  return null;
}

async function lookOf(file: string): Promise<number[]> {
  const { mtimeMs, size, ino } = await stat(file);
  return [mtimeMs, size, ino];
}
