import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AgentMuxError } from '../contract/errors.ts';
import { isRecord } from '../values.ts';

/** Why a file could not be written, and what the user can do about it. */
export interface StorageFailure {
  /** The errno name: ENOSPC, EROFS, ... */
  errno: string;
  /** No space: writes succeed again after other files are deleted. */
  isFull: boolean;
  /** What failed and why, as a clause. */
  message: string;
  hint: string;
  /** Undefined: the system did not name a file. */
  path: string | undefined;
}

const FREE_SPACE = 'free some disk space, then try again';
const OTHER_FOLDER = 'make it writable, or set HOME (or XDG_STATE_HOME) to a writable folder';
const CHECK_DISK = 'check the disk and its file system, then try again';
const MORE_FILES = 'raise the limit of the shell that starts it ("ulimit -n 4096"), then try again';

/** Failures of disks and process limits: the program is correct, and the user or the machine must change something. */
const FAILURES: Readonly<Record<string, { act: string; problem: string; hint: string }>> = {
  ENOSPC: { act: 'write', problem: 'no space left on the disk', hint: FREE_SPACE },
  EDQUOT: { act: 'write', problem: 'the disk quota is used up', hint: FREE_SPACE },
  EROFS: { act: 'write', problem: 'the file system is read-only', hint: OTHER_FOLDER },
  EACCES: { act: 'access', problem: 'permission denied', hint: OTHER_FOLDER },
  EPERM: { act: 'access', problem: 'the operation is not permitted', hint: OTHER_FOLDER },
  EIO: { act: 'access', problem: 'the disk reports an input/output error', hint: CHECK_DISK },
  EMFILE: { act: 'open', problem: 'this process has too many open files', hint: MORE_FILES },
  ENFILE: { act: 'open', problem: 'this machine has too many open files', hint: MORE_FILES },
};

/** Undefined: another kind of failure. Checks causes too. `fallbackPath`: used if the system reported no file. */
export function findStorageFailure(error: unknown, fallbackPath?: string): StorageFailure | undefined {
  for (let thrown = error, depth = 0; isRecord(thrown) && depth < 5; thrown = thrown.cause, depth += 1) {
    const { path } = thrown;
    const code = codeOf(thrown);
    // A refused connection has such a code too, with an address; so does a program or process without permission.
    if (typeof code !== 'string' || !Object.hasOwn(FAILURES, code) || 'address' in thrown) continue;
    const found = FAILURES[code];
    if (!found || (isForbidden(code) && !isOfFile(thrown))) continue;
    const where = typeof path === 'string' ? path : fallbackPath;
    const message = `cannot ${found.act} ${where ?? 'a file'}: ${found.problem} (${code})`;
    return { errno: code, isFull: code === 'ENOSPC' || code === 'EDQUOT', message, hint: found.hint, path: where };
  }
  return undefined;
}

function isForbidden(code: string): boolean {
  return code === 'EACCES' || code === 'EPERM';
}

function isOfFile({ path, syscall }: Readonly<Record<string, unknown>>): boolean {
  return typeof path === 'string' && !/^(?:spawn|kill)/.test(String(syscall));
}

/**
 * Recursive `mkdir` reports ENOENT for a folder that cannot be created; the parent reveals why. The module loader (node
 * 24) reports only in its message that a module could not be opened.
 */
function codeOf({ code, syscall, path, message }: Readonly<Record<string, unknown>>): unknown {
  if (/: too many open files\.?$/.test(String(message))) return 'EMFILE';
  if (code !== 'ENOENT' || syscall !== 'mkdir' || typeof path !== 'string') return code;
  let parent = dirname(path);
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK);
    return code;
  } catch (error) {
    return isRecord(error) ? error.code : code;
  }
}

/** The failure as an AgentMuxError; undefined for another kind of failure. */
export function asStorageError(error: unknown, fallbackPath?: string): AgentMuxError | undefined {
  const failure = findStorageFailure(error, fallbackPath);
  if (!failure) return undefined;
  const { message, hint, errno } = failure;
  return new AgentMuxError('STORAGE_ERROR', message, { hint, retryable: true, cause: error, data: { errno } });
}
