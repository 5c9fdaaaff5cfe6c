import type { ErrorInfo, Problem } from '@agent-mux/api';
import { findStorageFailure } from '@agent-mux/core';
import { StoreError } from './store/store.ts';

/** Error codes of the daemon and their HTTP statuses. Codes are stable. */
export const DAEMON_ERRORS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  AMBIGUOUS_ID: 409,
  TURN_RUNNING: 409,
  NO_ACTIVE_TURN: 409,
  SESSION_ENDED: 409,
  SESSION_RUNNING: 409,
  SESSION_IN_TERMINAL: 409,
  REQUEST_CLOSED: 409,
  MESSAGE_NOT_QUEUED: 409,
  NOT_LIMITED: 409,
  NO_AGENT_SESSION: 409,
  WORKSPACE_ERROR: 409,
  RUN_ENDED: 409,
  JOB_RUNNING: 409,
  PLAN_CHANGED: 409,
  /** The configuration file is invalid or cannot be written. */
  CONFIG_ERROR: 409,
  CONFIG_CONFLICT: 409,
  /** The next five codes are used only between daemon and keepers. */
  ENVIRONMENT_MISMATCH: 409,
  GROUP_MISMATCH: 409,
  KEEPER_EXISTS: 409,
  JOURNAL_AHEAD: 409,
  DUPLICATE_MESSAGE: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  NOT_OFFERED: 422,
  VALIDATION_ERROR: 422,
  UNKNOWN_AGENT: 422,
  CAPABILITY_ERROR: 422,
  AGENT_NOT_INSTALLED: 422,
  MISSING_ENV: 422,
  AGENT_ERROR: 422,
  LIMITED: 429,
  TOO_MANY_SESSIONS: 429,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_ERROR: 500,
  KEEPER_GONE: 503,
  /** The keeper process is alive but does not answer. */
  KEEPER_UNREACHABLE: 503,
  DISK_FULL: 503,
  /** The disk is read-only or broken, or too many files are open. */
  STORAGE_ERROR: 503,
  NOT_READY: 503,
} as const;
export type DaemonErrorCode = keyof typeof DAEMON_ERRORS;

export class DaemonError extends Error {
  readonly code: DaemonErrorCode;
  readonly hint: string | undefined;
  readonly issues: Problem['issues'];

  constructor(code: DaemonErrorCode, message: string, more: { hint?: string; issues?: Problem['issues'] } = {}) {
    super(message);
    this.name = 'DaemonError';
    this.code = code;
    this.hint = more.hint;
    this.issues = more.issues;
  }

  get status(): number {
    return DAEMON_ERRORS[this.code];
  }

  toErrorInfo(): ErrorInfo {
    return { code: this.code, message: this.message, ...(this.hint === undefined ? {} : { hint: this.hint }) };
  }
}

/** Converts an error of the engine or of a keeper. Codes that are unknown here become `AGENT_ERROR`. */
export function toDaemonError({ code, message, hint }: ErrorInfo): DaemonError {
  return new DaemonError(isDaemonErrorCode(code) ? code : 'AGENT_ERROR', message, hint === undefined ? {} : { hint });
}

function isDaemonErrorCode(code: string): code is DaemonErrorCode {
  return Object.hasOwn(DAEMON_ERRORS, code);
}

/** The storage error behind `error`, or null. The caller did nothing wrong: the same call may succeed later. */
export function storageErrorOf(error: unknown): DaemonError | null {
  const failure = findStorageFailure(error);
  if (failure?.isFull || (error instanceof StoreError && error.code === 'FULL'))
    return new DaemonError('DISK_FULL', 'the disk is full', { hint: 'free some space and retry' });
  if (failure) return new DaemonError('STORAGE_ERROR', failure.message, { hint: failure.hint });
  if (!(error instanceof StoreError) || error.code !== 'UNWRITABLE') return null;
  return new DaemonError('STORAGE_ERROR', error.message, { hint: 'check the disk of that file and retry' });
}
