import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KeeperError } from './keeper-error.ts';

/** The kernel allows 104 to 108 bytes, depending on the platform and the terminating zero. */
const MAX_SOCKET_PATH_BYTES = 100;

/**
 * Path of a keeper's socket: in its folder or, if that path is too long or the keeper is shared, in a private folder of
 * this user. The name is random, so that no keeper has to remove the socket of another.
 */
export function chooseSocketPath(keeperFolder: string, { isShared }: { isShared: boolean }): string {
  const name = `${randomBytes(4).toString('hex')}.sock`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\agent-mux-${digestOf(keeperFolder)}-${name}`;
  const folders = [...(isShared ? [] : [keeperFolder]), ...sharedFolders()];
  const path = folders.map((folder) => join(folder, name)).find(isShortEnough);
  if (path === undefined)
    throw new KeeperError(
      'INTERNAL_ERROR',
      `all socket paths are too long: ${folders.join(', ')}`,
      'set XDG_RUNTIME_DIR or TMPDIR to a folder with a short path',
    );
  const folder = dirname(path);
  if (folder !== keeperFolder) createOwnFolder(folder);
  assertOwnFolder(folder);
  return path;
}

/** Throws if the folder is a link, belongs to another user, or is accessible to others. */
export function assertOwnFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const found = lstatSync(folder);
  const problem = !found.isDirectory()
    ? 'it is not a folder'
    : found.uid !== process.getuid?.()
      ? 'it belongs to another user'
      : (found.mode & 0o077) !== 0
        ? 'others have access to it'
        : undefined;
  if (problem === undefined) return;
  throw new KeeperError('FORBIDDEN', `${folder} cannot be used for sockets: ${problem}`, `remove or fix ${folder}`);
}

function sharedFolders(): string[] {
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const own = `agent-mux-${process.getuid?.() ?? 0}`;
  return [...(runtime ? [join(runtime, 'agent-mux')] : []), join(tmpdir(), own), join('/tmp', own)];
}

function createOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function isShortEnough(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
