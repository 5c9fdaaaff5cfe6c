import { sep } from 'node:path';

/** Common prefix of all paths below a folder. */
export function prefixBelow(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}

/** The folder itself, or something below it. Both paths are absolute and normalized. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(prefixBelow(folder));
}
