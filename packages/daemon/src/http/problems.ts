import { STATUS_CODES } from 'node:http';
import type { Problem } from '@agent-mux/api';
import { AgentMuxError, type ErrorCode, ValidationError } from '@agent-mux/core';
import { z } from 'zod';
import { DAEMON_ERRORS, DaemonError, type DaemonErrorCode, storageErrorOf } from '../daemon-error.ts';
import { StoreError } from '../store/store.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Maps engine error codes to API codes. Others become `AGENT_ERROR`. */
const ENGINE_CODES: Partial<Record<ErrorCode, DaemonErrorCode>> = {
  VALIDATION_ERROR: 'VALIDATION_ERROR',
  UNKNOWN_AGENT: 'UNKNOWN_AGENT',
  CAPABILITY_ERROR: 'CAPABILITY_ERROR',
  AGENT_NOT_INSTALLED: 'AGENT_NOT_INSTALLED',
  SESSION_NOT_FOUND: 'NOT_FOUND',
  CONFIG_ERROR: 'CONFIG_ERROR',
  INTERNAL_ERROR: 'INTERNAL_ERROR',
};

/** Null for an unexpected error: it is logged, and the caller gets no details. */
export function asDaemonError(error: unknown): DaemonError | null {
  if (error instanceof DaemonError) return error.code === 'INTERNAL_ERROR' ? null : error;
  if (error instanceof AgentMuxError) return ofEngine(error);
  if (error instanceof z.ZodError) return invalid(error);
  if (error instanceof StoreError && error.code === 'CURSOR')
    return new DaemonError('BAD_REQUEST', error.message, { hint: 'start again without a cursor' });
  return storageErrorOf(error);
}

function ofEngine(error: AgentMuxError): DaemonError | null {
  const { hint, message } = error;
  if (error instanceof ValidationError) {
    return new DaemonError('VALIDATION_ERROR', message, { hint, issues: [...error.issues] });
  }
  if (error.code === 'SESSION_NOT_FOUND' && error.data?.candidates !== undefined) {
    return new DaemonError('AMBIGUOUS_ID', message, { hint });
  }
  if (error.code === 'STORAGE_ERROR')
    return storageErrorOf(error) ?? new DaemonError('STORAGE_ERROR', message, { hint });
  const code = ENGINE_CODES[error.code] ?? 'AGENT_ERROR';
  return code === 'INTERNAL_ERROR' ? null : new DaemonError(code, message, { hint });
}

/** Reports all issues at once, each with its field. */
export function invalid(error: z.ZodError): DaemonError {
  const issues = error.issues.map(({ path, message }) => ({ field: path.join('.'), problem: message }));
  const texts = issues.map(({ field, problem }) => (field ? `${field}: ${problem}` : problem));
  return new DaemonError('VALIDATION_ERROR', texts.join('; '), { issues });
}

export function toProblem(error: DaemonError | null, status?: number): Problem {
  const code: DaemonErrorCode = error?.code ?? 'INTERNAL_ERROR';
  const shown = status ?? DAEMON_ERRORS[code];
  return {
    type: `urn:agent-mux:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: STATUS_CODES[shown] ?? 'Error',
    status: shown,
    detail: error?.message ?? 'internal error of the daemon',
    code,
    ...(error ? {} : { hint: 'run "amux logs" for details' }),
    ...(error?.hint === undefined ? {} : { hint: error.hint }),
    ...(error?.issues === undefined ? {} : { issues: error.issues }),
  };
}

export function problemResponse(error: DaemonError | null, headers: Record<string, string> = {}): Response {
  const problem = toProblem(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': PROBLEM_TYPE, ...headers },
  });
}
