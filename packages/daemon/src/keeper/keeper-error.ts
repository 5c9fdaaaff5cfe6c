import { AgentMuxError, findStorageFailure, messageOf, type StorageFailure } from '@agent-mux/core';

/**
 * An error of a keeper or of the connection to it. Codes of the engine are passed through. The keeper's own codes:
 * `KEEPER_GONE` (no such process, or the connection is lost), `PROTOCOL` (unsupported version), `TIMEOUT` (no reply),
 * `KEEPER_EXISTS` (another keeper holds the session), `NOT_FOUND` (it does not hold this session),
 * `ENVIRONMENT_MISMATCH` and `GROUP_MISMATCH` (it cannot hold this session), `JOURNAL_AHEAD` (the journal must be read
 * first), `DUPLICATE_MESSAGE` (the message was accepted before), `REQUEST_CLOSED`, `NOT_OFFERED`, `DISK_FULL`,
 * `STORAGE_ERROR`, `BAD_REQUEST`.
 */
export class KeeperError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.name = 'KeeperError';
    this.code = code;
    this.hint = hint;
  }
}

/** The error that a keeper reports to the daemon for a storage failure. */
export function storageErrorInfo({ isFull, message, hint }: StorageFailure): KeeperErrorInfo {
  return { code: isFull ? 'DISK_FULL' : 'STORAGE_ERROR', message, hint };
}

export interface KeeperErrorInfo {
  code: string;
  message: string;
  hint?: string;
}

export function toErrorInfo(thrown: unknown): KeeperErrorInfo {
  const failure = thrown instanceof KeeperError ? undefined : findStorageFailure(thrown);
  if (failure) return storageErrorInfo(failure);
  const { code, hint } =
    thrown instanceof KeeperError || thrown instanceof AgentMuxError
      ? thrown
      : { code: 'INTERNAL_ERROR', hint: undefined };
  return { code, message: messageOf(thrown), ...(hint === undefined ? {} : { hint }) };
}
