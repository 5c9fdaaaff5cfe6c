import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stateFolder } from '../files/state-folder.ts';
import { isRecord } from '../values.ts';

/** File names are limited to 255 bytes on most systems. */
const LONGEST_NAME = 200;

/** Not next to the file: agents read whole folders, and a backup does not belong in a project. */
export function backupPath(realPath: string, env: NodeJS.ProcessEnv = process.env): string {
  const encoded = encodeURIComponent(realPath);
  const hash = createHash('sha256').update(realPath).digest('hex').slice(0, 32);
  const name =
    encoded.length <= LONGEST_NAME ? encoded : `${hash}-${encodeURIComponent(basename(realPath)).slice(-100)}`;
  return join(stateFolder(env), 'backups', name);
}

/** Saves the file as it was before agent-mux changed it for the first time. Undefined if that was done before. */
export async function backUpOriginal(
  realPath: string,
  content: Uint8Array,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const backup = backupPath(realPath, env);
  if (await stat(backup).catch(() => undefined)) return undefined;
  await mkdir(dirname(backup), { recursive: true, mode: 0o700 });
  const temporary = `${dirname(backup)}/.${randomUUID()}.tmp`;
  try {
    await using file = await open(temporary, 'wx', 0o600);
    await file.writeFile(content);
    await file.sync();
    await link(temporary, backup);
    return backup;
  } catch (error) {
    if (isRecord(error) && error.code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
