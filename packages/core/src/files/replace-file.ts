import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ignoreMissing, readRegularFile } from './regular-file.ts';

/**
 * Replaces a file atomically if it still has the expected content (`before`). False: it was changed in the meantime,
 * and nothing was written. The mode is kept; a new file is private unless a mode is passed. Rejects a file above
 * `limit`.
 */
export async function replaceFile(
  realPath: string,
  { before, text, limit, mode = 0o600 }: { before: Buffer | undefined; text: string; limit: number; mode?: number },
): Promise<boolean> {
  const folder = dirname(realPath);
  await mkdir(folder, { recursive: true });
  const old = before && (await stat(realPath).catch(() => undefined));
  // Renaming only needs write access to the folder; a read-only file must stay unchanged.
  if (old) await access(realPath, constants.W_OK);
  const temporary = join(folder, `.${basename(realPath).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    {
      await using file = await open(temporary, 'wx', mode);
      await file.writeFile(text);
      if (old) {
        await file.chown(old.uid, old.gid).catch(() => {});
        await file.chmod(old.mode & 0o777);
      }
      await file.sync();
    }
    const now = await readRegularFile(realPath, { limit }).catch(ignoreMissing);
    if (now === undefined ? before !== undefined : !before?.equals(now)) return false;
    await rename(temporary, realPath);
    await syncFolder(folder);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Deletes a file if it still has the expected content. False: it was changed in the meantime. */
export async function removeFile(
  realPath: string,
  { before, limit }: { before: Buffer | undefined; limit: number },
): Promise<boolean> {
  await access(realPath, constants.W_OK);
  const now = await readRegularFile(realPath, { limit }).catch(ignoreMissing);
  if (now === undefined || !before?.equals(now)) return false;
  await rm(realPath);
  await syncFolder(dirname(realPath));
  return true;
}

/** Makes the rename durable; not every platform can open folders. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using opened = await open(folder, 'r');
    await opened.sync();
  } catch {
    // The file itself is already durable.
  }
}
