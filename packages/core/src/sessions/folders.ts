import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** Agents write down a folder as it was given, or as the system resolves it. */
export function foldersOf(cwd: string): string[] {
  const given = resolve(cwd);
  try {
    return [...new Set([given, realpathSync(given)])];
  } catch {
    return [given];
  }
}
