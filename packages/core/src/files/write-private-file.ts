import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a private file atomically. For data that can be recreated: on a full or read-only disk nothing is written and
 * nothing is left behind.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await storeFile(path, text).catch(() => {});
}

/** The same for data that cannot be recreated: throws if it could not be written. */
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
