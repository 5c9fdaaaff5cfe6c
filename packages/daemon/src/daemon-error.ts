import type { Fault, Problem } from '@agent-mux/api';
import { findStorageFailure } from '@agent-mux/core';
import { StoreError } from './store/store.ts';

/** Every refusal of the daemon: a stable code, the HTTP status that says the same, what is wrong and what to do. */
export const DAEMON_ERRORS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  AMBIGUOUS_ID: 409,
  TURN_RUNNING: 409,
  NO_TURN: 409,
  SESSION_ENDED: 409,
  SESSION_LIVE: 409,
  SESSION_ELSEWHERE: 409,
  REQUEST_CLOSED: 409,
  MESSAGE_GONE: 409,
  NO_LIMIT: 409,
  NO_NATIVE_SESSION: 409,
  WORKSPACE_ERROR: 409,
  RUN_ENDED: 409,
  JOB_RUNNING: 409,
  PLAN_CHANGED: 409,
  /** The configuration file, or what somebody has written into it meanwhile, is in the way. */
  CONFIG_ERROR: 409,
  CONFIG_CHANGED: 409,
  /** Between daemon and keepers alone. */
  OTHER_ENVIRONMENT: 409,
  OTHER_GROUP: 409,
  KEEPER_THERE: 409,
  JOURNAL_AHEAD: 409,
  MESSAGE_KNOWN: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA: 415,
  NOT_OFFERED: 422,
  VALIDATION_ERROR: 422,
  UNKNOWN_AGENT: 422,
  CAPABILITY_ERROR: 422,
  AGENT_NOT_INSTALLED: 422,
  ENV_MISSING: 422,
  AGENT_ERROR: 422,
  LIMITED: 429,
  TOO_MANY_SESSIONS: 429,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_ERROR: 500,
  KEEPER_GONE: 503,
  /** The keeper lives and does not answer. */
  KEEPER_UNREACHABLE: 503,
  DISK_FULL: 503,
  /** The disk is read-only or broken, or too many files are open. */
  STORAGE_ERROR: 503,
  STARTING: 503,
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

  toFault(): Fault {
    return { code: this.code, message: this.message, ...(this.hint === undefined ? {} : { hint: this.hint }) };
  }
}

/** A refusal that came from the engine or a keeper, as one of ours: a code that is unknown here is the agent's own trouble. */
export function refusalOf({ code, message, hint }: Fault): DaemonError {
  return new DaemonError(isDaemonErrorCode(code) ? code : 'AGENT_ERROR', message, hint === undefined ? {} : { hint });
}

function isDaemonErrorCode(code: string): code is DaemonErrorCode {
  return Object.hasOwn(DAEMON_ERRORS, code);
}

/** What could not be written, where that is the failure. The caller did nothing wrong, and the same call may succeed later. */
export function storageErrorOf(error: unknown): DaemonError | null {
  const failure = findStorageFailure(error);
  if (failure?.isFull || (error instanceof StoreError && error.code === 'FULL'))
    return new DaemonError('DISK_FULL', 'there is no room left on the disk', { hint: 'make room, then try again' });
  if (failure) return new DaemonError('STORAGE_ERROR', failure.message, { hint: failure.hint });
  if (!(error instanceof StoreError) || error.code !== 'UNWRITABLE') return null;
  return new DaemonError('STORAGE_ERROR', error.message, { hint: 'check the disk of that file, then try again' });
}
