import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;
const OTHERS = 0o077;

/**
 * Creates a file, if missing, in a folder that only its owner can access. SQLite gives its WAL and index the mode of
 * the database file, so no file is ever accessible to others.
 */
export function createPrivateFile(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  closeToOthers(folder, OWNER_ONLY_FOLDER);
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY_FILE));
  } catch (failure) {
    if (!(failure instanceof Error && 'code' in failure && failure.code === 'EEXIST')) throw failure;
    if (statSync(path).isFile()) closeToOthers(path, OWNER_ONLY_FILE);
  }
}

function closeToOthers(path: string, mode: number): void {
  // On Windows, user folders are private by default, and there are no such modes.
  if (process.platform === 'win32') return;
  if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, mode);
}
