import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KeeperError } from './keeper-error.ts';

/** The kernel takes 104 to 108 bytes; a few are left for whoever counts the end. */
const LONGEST_SOCKET_PATH = 100;

/**
 * Where a keeper listens: in its own folder, or, where that path is too long or belongs to one of several sessions, in a folder
 * of this user alone. The name is new each time, so that nobody has to remove the socket of another keeper.
 */
export function chooseSocket(keeperFolder: string, { isShared }: { isShared: boolean }): string {
  const name = `${randomBytes(4).toString('hex')}.sock`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\agent-mux-${digestOf(keeperFolder)}-${name}`;
  const folders = [...(isShared ? [] : [keeperFolder]), ...sharedFolders()];
  const path = folders.map((folder) => join(folder, name)).find(isShortEnough);
  if (path === undefined)
    throw new KeeperError(
      'INTERNAL_ERROR',
      `no folder for a socket has a short enough path: ${folders.join(', ')}`,
      'set XDG_RUNTIME_DIR or TMPDIR to a folder with a short path',
    );
  const folder = dirname(path);
  if (folder !== keeperFolder) makeOwnFolder(folder);
  assertOwnFolder(folder);
  return path;
}

/** Nobody else could have put a socket there. Throws where it is a link, somebody else's, or open to others. */
export function assertOwnFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const found = lstatSync(folder);
  const problem = !found.isDirectory()
    ? 'it is no folder'
    : found.uid !== process.getuid?.()
      ? 'it belongs to another user'
      : (found.mode & 0o077) !== 0
        ? 'others may enter it'
        : undefined;
  if (problem === undefined) return;
  throw new KeeperError('FORBIDDEN', `${folder} is no place for a socket: ${problem}`, `remove or repair ${folder}`);
}

function sharedFolders(): string[] {
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const own = `agent-mux-${process.getuid?.() ?? 0}`;
  return [...(runtime ? [join(runtime, 'agent-mux')] : []), join(tmpdir(), own), join('/tmp', own)];
}

function makeOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function isShortEnough(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
