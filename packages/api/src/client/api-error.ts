import { AgentMuxError, type ErrorCode } from '@agent-mux/core/light';
import type { Problem } from '../schemas/common.ts';

/** The daemon's codes that the error family does not have, by what they are there. */
const FAMILY: Readonly<Record<string, ErrorCode>> = {
  BAD_REQUEST: 'VALIDATION_ERROR',
  UNAUTHORIZED: 'AUTH_ERROR',
  FORBIDDEN: 'AUTH_ERROR',
  NOT_FOUND: 'SESSION_NOT_FOUND',
  METHOD_NOT_ALLOWED: 'VALIDATION_ERROR',
  AMBIGUOUS_ID: 'SESSION_NOT_FOUND',
  TURN_RUNNING: 'VALIDATION_ERROR',
  NO_TURN: 'RUN_ENDED',
  SESSION_ENDED: 'RUN_ENDED',
  SESSION_LIVE: 'VALIDATION_ERROR',
  REQUEST_CLOSED: 'VALIDATION_ERROR',
  MESSAGE_GONE: 'VALIDATION_ERROR',
  NO_LIMIT: 'VALIDATION_ERROR',
  LIMITED: 'RATE_LIMITED',
  NO_NATIVE_SESSION: 'SESSION_NOT_FOUND',
  WORKSPACE_ERROR: 'CONFIG_ERROR',
  TOO_LARGE: 'VALIDATION_ERROR',
  UNSUPPORTED_MEDIA: 'VALIDATION_ERROR',
  NOT_OFFERED: 'VALIDATION_ERROR',
  VALIDATION_ERROR: 'VALIDATION_ERROR',
  UNKNOWN_AGENT: 'UNKNOWN_AGENT',
  CAPABILITY_ERROR: 'CAPABILITY_ERROR',
  AGENT_NOT_INSTALLED: 'AGENT_NOT_INSTALLED',
  ENV_MISSING: 'VALIDATION_ERROR',
  AGENT_ERROR: 'AGENT_ERROR',
  TOO_MANY_SESSIONS: 'RATE_LIMITED',
  TOO_MANY_REQUESTS: 'RATE_LIMITED',
  INTERNAL_ERROR: 'INTERNAL_ERROR',
  KEEPER_GONE: 'SERVER_ERROR',
  KEEPER_UNREACHABLE: 'SERVER_ERROR',
  DISK_FULL: 'STORAGE_ERROR',
  STORAGE_ERROR: 'STORAGE_ERROR',
  STARTING: 'SERVER_ERROR',
};

/** The same call may succeed a moment later, and has done nothing. */
const PASSING: ReadonlySet<string> = new Set(['STARTING', 'DISK_FULL', 'STORAGE_ERROR', 'TOO_MANY_REQUESTS']);

export interface ApiErrorDetails {
  /** Absent: there was no answer. */
  status?: number;
  hint?: string;
  issues?: Problem['issues'];
  retryable?: boolean;
  /** Whether the daemon may have got it. Default true. */
  sent?: boolean;
  cause?: unknown;
}

/**
 * What the daemon refused, or that it could not be asked. `code` is of the one error family, so that a program need not care
 * where its runs are; `problem` is the daemon's own, finer word.
 */
export class ApiError extends AgentMuxError {
  /** `NOT_FOUND`, `TURN_RUNNING`, ...; `UNREACHABLE`, `NO_ANSWER` and `ABORTED` where it is not the daemon's. */
  readonly problem: string;
  /** Of HTTP; undefined where there was no answer. */
  readonly status: number | undefined;
  /** What is wrong with which field. */
  readonly issues: Problem['issues'];
  /** False: it has certainly not been done. */
  readonly sent: boolean;

  constructor(code: ErrorCode, problem: string, message: string, details: ApiErrorDetails = {}) {
    const { status, hint, issues, retryable, sent = true, cause } = details;
    super(code, message, { hint, retryable, cause });
    this.problem = problem;
    this.status = status;
    this.issues = issues;
    this.sent = sent;
  }
}

/** Of an answer that is no success. `body` may be anything: a proxy may have written it. */
export function errorOfAnswer(status: number, body: string, what: string): ApiError {
  const { code, detail, hint, issues } = readProblem(body);
  const message = detail ?? `${what} was answered with ${status}`;
  if (code === undefined) return new ApiError(codeOfStatus(status), `HTTP_${status}`, message, { status });
  const details = { status, hint, issues, retryable: PASSING.has(code), sent: !PASSING.has(code) };
  return new ApiError(FAMILY[code] ?? codeOfStatus(status), code, message, details);
}

export function isProblem(error: unknown, ...problems: string[]): error is ApiError {
  return error instanceof ApiError && problems.includes(error.problem);
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'AUTH_ERROR';
  return status >= 500 ? 'SERVER_ERROR' : 'VALIDATION_ERROR';
}

function readProblem(body: string): Partial<Problem> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return {};
    const { code, detail, hint, issues }: Partial<Record<keyof Problem, unknown>> = value;
    return {
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof detail === 'string' ? { detail } : {}),
      ...(typeof hint === 'string' ? { hint } : {}),
      ...(Array.isArray(issues) ? { issues } : {}),
    };
  } catch {
    return {};
  }
}
