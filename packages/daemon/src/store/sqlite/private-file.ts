import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;
const OTHERS = 0o077;

/**
 * Makes a file, where it is missing, in a folder that only its owner can enter. SQLite gives its log and its index the mode of
 * the file that they belong to, so nothing of it is open to others at any moment.
 */
export function makePrivateFile(path: string): void {
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
  // Windows keeps a user's folders to that user by itself, and knows no such modes.
  if (process.platform === 'win32') return;
  if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, mode);
}
