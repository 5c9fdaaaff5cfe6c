import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** Agents store a folder as it was given, or as the system resolves it. */
export function foldersOf(cwd: string): string[] {
  const options = resolve(cwd);
  try {
    return [...new Set([options, realpathSync(options)])];
  } catch {
    return [options];
  }
}
