import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts a file of our own in its place in one step, for its owner alone. What is kept so can be found out again: on a full
 * or read-only disk nothing is kept, and nothing is left.
 */
export async function keepFile(path: string, text: string): Promise<void> {
  await storeFile(path, text).catch(() => {});
}

/** The same for what cannot be found out again: throws where it could not be written. */
export async function storeFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(unfinished, text, { mode: 0o600 });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}
