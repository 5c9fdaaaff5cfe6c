import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

/** Agents write down a folder as it was given, or as the system resolves it. */
export function foldersOf(cwd: string): string[] {
  const given = resolve(cwd);
  try {
    return [...new Set([given, realpathSync(given)])];
  } catch {
    return [given];
  }
}

/** What the paths of everything below a folder begin with. */
export function beginningBelow(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}

export function isWithin(path: string | undefined, folder: string): boolean {
  return path !== undefined && (path === folder || path.startsWith(beginningBelow(folder)));
}
