/** In the folder of a run; all its tests share it. */
export const CACHE_FOLDER = 'cache';

/** What `os.tmpdir()` answers in this process and those it starts. */
export function useAsTemporary(folder: string): void {
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
}
