import { AgentMuxError, findStorageFailure, messageOf, type StorageFailure } from '@agent-mux/core';

/**
 * What a keeper refuses, or why it cannot be spoken to. The codes of the engine are passed on as they are; of the keeper's own are:
 * `KEEPER_GONE` (no such process, or the connection is lost), `PROTOCOL` (another version), `TIMEOUT` (no answer),
 * `KEEPER_THERE` (another keeper holds the session), `NOT_FOUND` (it does not hold this session), `OTHER_ENVIRONMENT` and
 * `OTHER_GROUP` (it cannot hold it), `JOURNAL_AHEAD` (the journal must be read before), `MESSAGE_KNOWN` (it was accepted before),
 * `REQUEST_CLOSED`, `NOT_OFFERED`, `DISK_FULL`, `STORAGE_ERROR`, `BAD_REQUEST`.
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

/** What a disk that takes nothing is called between keeper and daemon. */
export function storageRefusal({ isFull, message, hint }: StorageFailure): ToldError {
  return { code: isFull ? 'DISK_FULL' : 'STORAGE_ERROR', message, hint };
}

export interface ToldError {
  code: string;
  message: string;
  hint?: string;
}

export function tellError(thrown: unknown): ToldError {
  const failure = thrown instanceof KeeperError ? undefined : findStorageFailure(thrown);
  if (failure) return storageRefusal(failure);
  const { code, hint } =
    thrown instanceof KeeperError || thrown instanceof AgentMuxError
      ? thrown
      : { code: 'INTERNAL_ERROR', hint: undefined };
  return { code, message: messageOf(thrown), ...(hint === undefined ? {} : { hint }) };
}
