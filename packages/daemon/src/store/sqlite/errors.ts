import { findStorageFailure } from '@agent-mux/core';
import { StoreError } from '../store.ts';

const NO_MEMORY_FOR_THE_WAL_INDEX = 4874;
const SQLITE = { readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;
const NOT_OURS = new Set(['EACCES', 'EEXIST', 'EPERM', 'EISDIR', 'ENOTDIR', 'ELOOP']);

/** Gives the failures that callers must tell apart their code; whatever else it is stays as it is. */
export function nameFailure(failure: unknown, path: string): unknown {
  if (failure instanceof StoreError || !(failure instanceof Error)) return failure;
  const code = 'code' in failure ? failure.code : undefined;
  if (typeof code === 'string' && NOT_OURS.has(code)) return unreadable(path, failure);
  const storage = findStorageFailure(failure, path);
  if (storage) return storage.isFull ? noRoom(path, failure) : unwritable(path, failure);
  const result = 'errcode' in failure && typeof failure.errcode === 'number' ? failure.errcode : 0;
  if (result === NO_MEMORY_FOR_THE_WAL_INDEX) return noRoom(path, failure);
  // The lower byte is the kind of failure, the rest says more about it.
  switch (result & 0xff) {
    case SQLITE.full:
      return noRoom(path, failure);
    case SQLITE.readOnly:
    case SQLITE.ioError:
      return unwritable(path, failure);
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
    case SQLITE.cannotOpen:
      return unreadable(path, failure);
    default:
      return failure;
  }
}

function unreadable(path: string, cause: Error): StoreError {
  return new StoreError('BROKEN', `The store ${path} cannot be read (${cause.message}). It was left as it is.`, {
    cause,
  });
}

function noRoom(path: string, cause: Error): StoreError {
  return new StoreError('FULL', `There is no room on the disk of the store ${path}. Nothing of the call was kept.`, {
    cause,
  });
}

function unwritable(path: string, cause: Error): StoreError {
  return new StoreError('UNWRITABLE', `The store ${path} cannot be written (${cause.message}). Nothing was stored.`, {
    cause,
  });
}
