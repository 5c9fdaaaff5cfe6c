import { sep } from 'node:path';

/** What the paths of everything below a folder begin with. */
export function beginningBelow(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}

/** The folder itself, or something below it. Both are absolute and without dots in them. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(beginningBelow(folder));
}
