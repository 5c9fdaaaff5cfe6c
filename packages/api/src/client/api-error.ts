import { AgentMuxError, type ErrorCode } from '@agent-mux/core/light';
import type { Problem } from '../schemas/common.ts';

/** Maps daemon codes to codes of the SDK error family. */
const FAMILY: Readonly<Record<string, ErrorCode>> = {
  BAD_REQUEST: 'VALIDATION_ERROR',
  UNAUTHORIZED: 'AUTH_ERROR',
  FORBIDDEN: 'AUTH_ERROR',
  NOT_FOUND: 'SESSION_NOT_FOUND',
  METHOD_NOT_ALLOWED: 'VALIDATION_ERROR',
  AMBIGUOUS_ID: 'SESSION_NOT_FOUND',
  TURN_RUNNING: 'VALIDATION_ERROR',
  NO_ACTIVE_TURN: 'RUN_ENDED',
  SESSION_ENDED: 'RUN_ENDED',
  SESSION_RUNNING: 'VALIDATION_ERROR',
  REQUEST_CLOSED: 'VALIDATION_ERROR',
  MESSAGE_NOT_QUEUED: 'VALIDATION_ERROR',
  NOT_LIMITED: 'VALIDATION_ERROR',
  LIMITED: 'RATE_LIMITED',
  NO_AGENT_SESSION: 'SESSION_NOT_FOUND',
  WORKSPACE_ERROR: 'CONFIG_ERROR',
  PAYLOAD_TOO_LARGE: 'VALIDATION_ERROR',
  UNSUPPORTED_MEDIA_TYPE: 'VALIDATION_ERROR',
  NOT_OFFERED: 'VALIDATION_ERROR',
  VALIDATION_ERROR: 'VALIDATION_ERROR',
  UNKNOWN_AGENT: 'UNKNOWN_AGENT',
  CAPABILITY_ERROR: 'CAPABILITY_ERROR',
  AGENT_NOT_INSTALLED: 'AGENT_NOT_INSTALLED',
  MISSING_ENV: 'VALIDATION_ERROR',
  AGENT_ERROR: 'AGENT_ERROR',
  TOO_MANY_SESSIONS: 'RATE_LIMITED',
  TOO_MANY_REQUESTS: 'RATE_LIMITED',
  INTERNAL_ERROR: 'INTERNAL_ERROR',
  KEEPER_GONE: 'SERVER_ERROR',
  KEEPER_UNREACHABLE: 'SERVER_ERROR',
  DISK_FULL: 'STORAGE_ERROR',
  STORAGE_ERROR: 'STORAGE_ERROR',
  NOT_READY: 'SERVER_ERROR',
};

/** Transient codes: the call had no effect and may succeed a moment later. */
const TRANSIENT: ReadonlySet<string> = new Set(['NOT_READY', 'DISK_FULL', 'STORAGE_ERROR', 'TOO_MANY_REQUESTS']);

export interface ApiErrorDetails {
  /** Absent if there was no response. */
  status?: number;
  hint?: string;
  issues?: Problem['issues'];
  retryable?: boolean;
  /** Whether the daemon may have received the request. Default true. */
  sent?: boolean;
  cause?: unknown;
}

/**
 * The daemon rejected the request or could not be reached. `code` belongs to the SDK error family, so that callers can handle
 * local and remote runs alike; `problem` is the daemon's more specific code.
 */
export class ApiError extends AgentMuxError {
  /** `NOT_FOUND`, `TURN_RUNNING`, ...; `UNREACHABLE`, `NO_ANSWER` and `ABORTED` are set by the client. */
  readonly problem: string;
  /** HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** Validation issues by field. */
  readonly issues: Problem['issues'];
  /** False if the request certainly had no effect. */
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

/** Converts an error response. `body` may be anything: a proxy may have written it. */
export function errorFromResponse(status: number, body: string, what: string): ApiError {
  const { code, detail, hint, issues } = readProblem(body);
  const message = detail ?? `${what}: HTTP status ${status}`;
  if (code === undefined) return new ApiError(codeOfStatus(status), `HTTP_${status}`, message, { status });
  const details = { status, hint, issues, retryable: TRANSIENT.has(code), sent: !TRANSIENT.has(code) };
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
