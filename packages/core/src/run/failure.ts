import type { AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError, type ErrorCode } from '../contract/errors.ts';
import type { EventBody, ExitReason } from '../contract/events.ts';
import type { RunError } from '../contract/run.ts';
import type { DriverEnd } from './driver.ts';
import type { ProcessExit } from './process.ts';
import { redactSecrets } from './redact.ts';

/** What a crash report shows of stderr. */
export const STDERR_TAIL_CHARS = 16 * 1024;

export type TimeoutKind = 'run' | 'inactivity' | 'after_tool' | 'exit';

/** The code of an event that makes its turn fail. */
export function failureOf(body: EventBody): ErrorCode | undefined {
  switch (body.type) {
    case 'auth_error':
      return 'AUTH_ERROR';
    case 'context_exceeded':
      return 'CONTEXT_EXCEEDED';
    case 'rate_limit_error':
      return 'RATE_LIMITED';
    case 'error':
      return body.recoverable ? undefined : body.code;
    default:
      return undefined;
  }
}

/** The code of an end in mid-turn. */
export function endCodeOf({ spawnError, lost }: ProcessExit): ErrorCode {
  if (spawnError) return spawnError instanceof AgentMuxError ? spawnError.code : 'SPAWN_ERROR';
  return lost === undefined ? 'AGENT_CRASH' : 'NETWORK_ERROR';
}

export function reasonOf(code: ErrorCode): ExitReason {
  return REASONS[code] ?? 'failed';
}

const REASONS: Partial<Record<ErrorCode, ExitReason>> = {
  AUTH_ERROR: 'auth_error',
  RATE_LIMITED: 'rate_limited',
  CONTEXT_EXCEEDED: 'context_exceeded',
  MAX_TURNS: 'max_turns',
  TIMEOUT: 'timeout',
  INACTIVITY_TIMEOUT: 'inactivity',
  ABORTED: 'aborted',
  AGENT_CRASH: 'crashed',
  SPAWN_ERROR: 'crashed',
};

/** What was thrown, as a run reports it. */
export function errorOf(thrown: unknown): RunError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: thrown instanceof AgentMuxError ? thrown.code : 'INTERNAL_ERROR', message };
}

function describeExit(displayName: string, exit: ProcessExit): string {
  if (exit.spawnError) return `${displayName} could not be started: ${exit.spawnError.message}`;
  if (exit.lost !== undefined) return `the connection to ${displayName} was lost: ${exit.lost}`;
  if (exit.signal) return `${displayName} was ended by ${exit.signal} before its turn was over`;
  return `${displayName} exited with code ${exit.code} before its turn was over`;
}

/** The adapter's own words for an end in mid-turn, or ours; with the tail of stderr and without its secrets. */
export function crashOf(
  adapter: AgentAdapter,
  { exit, stderr }: DriverEnd,
  secrets: readonly string[],
): Extract<EventBody, { type: 'crash' }> {
  const tail = redactSecrets(stderr, secrets).slice(-STDERR_TAIL_CHARS);
  const own = exit.spawnError
    ? adapter.onSpawnError?.(exit.spawnError)
    : exit.lost === undefined
      ? adapter.onProcessExit?.(exit.code, exit.signal)[0]
      : undefined;
  if (own?.type === 'crash') return { ...own, stderr: own.stderr || tail };
  const message = describeExit(adapter.displayName, exit);
  return { type: 'crash', exitCode: exit.code, signal: exit.signal, stderr: tail, message };
}

export function timeoutOf(displayName: string, kind: TimeoutKind, limitMs: number) {
  const message = {
    run: `the run took longer than ${limitMs} ms`,
    inactivity: `${displayName} was silent for ${limitMs} ms within a turn`,
    after_tool: `${displayName} was silent for ${limitMs} ms after a tool result`,
    exit: `${displayName} did not exit within ${limitMs} ms after its last event`,
  }[kind];
  return { type: 'timeout', kind, limitMs, message } as const;
}
