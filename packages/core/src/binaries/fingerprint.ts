import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Maximum number of folders between a launcher and the package.json of its package. */
const MAX_FOLDERS = 6;

/**
 * Changes when a command is reinstalled: covers the resolved file and the package.json it belongs to, since a launcher
 * may stay the same while its target is replaced. Undefined: nothing can be read.
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
  for (let above = 0; above < MAX_FOLDERS && basename(folder) !== 'node_modules'; above += 1) {
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
