import { chmodSync } from 'node:fs';

/** In the folder of a run; all its tests share it. */
export const CACHE_FOLDER = 'cache';

/** Others may pass through it, as through any temporary folder: some tests start a process of another user. */
const PASSABLE = 0o711;

/** What `os.tmpdir()` answers in this process and those it starts. */
export function useAsTemporary(folder: string): void {
  chmodSync(folder, PASSABLE);
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
}
