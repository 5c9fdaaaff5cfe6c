import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ignoreAbsence, readRegularFile } from './regular-file.ts';

/**
 * Replaces a file in one step, so that no reader sees half of it, if it still is what was read (`before`). False: somebody
 * else has changed it meanwhile, and nothing was done. The mode stays; a new file is the user's alone, where no other is given. One that has grown
 * beyond `limit` is refused.
 */
export async function replaceFile(
  realPath: string,
  { before, text, limit, mode = 0o600 }: { before: Buffer | undefined; text: string; limit: number; mode?: number },
): Promise<boolean> {
  const folder = dirname(realPath);
  await mkdir(folder, { recursive: true });
  const old = before && (await stat(realPath).catch(() => undefined));
  // Renaming asks only the folder; a file that was made read-only is meant to be.
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
    const now = await readRegularFile(realPath, { limit }).catch(ignoreAbsence);
    if (now === undefined ? before !== undefined : !before?.equals(now)) return false;
    await rename(temporary, realPath);
    await syncFolder(folder);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Takes a file away, if it still is what was read. False: somebody else has changed it meanwhile. */
export async function removeFile(
  realPath: string,
  { before, limit }: { before: Buffer | undefined; limit: number },
): Promise<boolean> {
  await access(realPath, constants.W_OK);
  const now = await readRegularFile(realPath, { limit }).catch(ignoreAbsence);
  if (now === undefined || !before?.equals(now)) return false;
  await rm(realPath);
  await syncFolder(dirname(realPath));
  return true;
}

/** So that the new name survives a loss of power; not every platform opens folders. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using opened = await open(folder, 'r');
    await opened.sync();
  } catch {
    // The file itself is safe.
  }
}
