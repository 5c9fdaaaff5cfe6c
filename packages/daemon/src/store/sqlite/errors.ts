import { findStorageFailure } from '@agent-mux/core';
import { StoreError } from '../store.ts';

const WAL_INDEX_OUT_OF_MEMORY = 4874;
const SQLITE = { readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;
const FOREIGN_FILE_CODES = new Set(['EACCES', 'EEXIST', 'EPERM', 'EISDIR', 'ENOTDIR', 'ELOOP']);

/** Converts failures that callers must distinguish into StoreErrors. Returns others unchanged. */
export function toStoreError(failure: unknown, path: string): unknown {
  if (failure instanceof StoreError || !(failure instanceof Error)) return failure;
  const code = 'code' in failure ? failure.code : undefined;
  if (typeof code === 'string' && FOREIGN_FILE_CODES.has(code)) return unreadable(path, failure);
  const storage = findStorageFailure(failure, path);
  if (storage) return storage.isFull ? diskFull(path, failure) : unwritable(path, failure);
  const result = 'errcode' in failure && typeof failure.errcode === 'number' ? failure.errcode : 0;
  if (result === WAL_INDEX_OUT_OF_MEMORY) return diskFull(path, failure);
  // The lower byte is the primary result code.
  switch (result & 0xff) {
    case SQLITE.full:
      return diskFull(path, failure);
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
  return new StoreError('CORRUPT', `the store ${path} cannot be read (${cause.message}) and was not changed`, {
    cause,
  });
}

function diskFull(path: string, cause: Error): StoreError {
  return new StoreError('FULL', `the disk of the store ${path} is full; nothing was written`, {
    cause,
  });
}

function unwritable(path: string, cause: Error): StoreError {
  return new StoreError('UNWRITABLE', `the store ${path} cannot be written (${cause.message}); nothing was written`, {
    cause,
  });
}
