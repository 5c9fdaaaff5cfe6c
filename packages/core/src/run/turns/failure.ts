import type { AgentAdapter } from '../../contract/adapter.ts';
import { AgentMuxError, type ErrorCode } from '../../contract/errors.ts';
import type { EventBody, ExitReason, TimeoutKind } from '../../contract/events.ts';
import { BEFORE_STDERR, failureOf } from '../../contract/retry.ts';
import type { RunError } from '../../contract/run.ts';
import { formatDuration } from '../../duration.ts';
import type { ProcessExit } from '../../process/process.ts';
import { readTerminalLine } from '../../process/terminal-text.ts';
import { redactSecrets } from '../../redact/redact.ts';
import { messageOf } from '../../values.ts';
import type { AgentEnd } from '../channels/channel.ts';

/** Maximum characters of stderr in a crash report. */
export const STDERR_TAIL_CHARS = 16 * 1024;

/** How much of it a crash message quotes: enough for the last lines, which say why; short enough for a table row. */
const QUOTED_LINES = 3;
const QUOTED_CHARS = 400;

type CrashBody = Extract<EventBody, { type: 'crash' }>;

/** The cause of the turn's failure, if it fails after this event. Decoder errors and lingering processes are none. */
export function causeOf(body: EventBody): RunError | undefined {
  const failure = failureOf(body);
  if (!failure || (failure.recoverable && ADAPTER_ERRORS.has(failure.code))) return undefined;
  if (body.type === 'timeout' && body.kind === 'exit') return undefined;
  const resetsAt = body.type === 'rate_limit_error' ? body.resetsAt : undefined;
  return { code: failure.code, message: failure.message, ...(resetsAt === undefined ? {} : { resetsAt }) };
}

const ADAPTER_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['PARSE_ERROR', 'ADAPTER_ERROR', 'PROTOCOL_ERROR']);

/** Error code for an end during a turn. */
export function endCodeOf({ spawnError, lost }: ProcessExit): ErrorCode {
  if (spawnError) return spawnError instanceof AgentMuxError ? spawnError.code : 'SPAWN_ERROR';
  return lost === undefined ? 'AGENT_CRASH' : 'NETWORK_ERROR';
}

export function exitReasonOf(code: ErrorCode): ExitReason {
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

/** Converts an exception to the error of a run. */
export function asRunError(thrown: unknown): RunError {
  return { code: thrown instanceof AgentMuxError ? thrown.code : 'INTERNAL_ERROR', message: messageOf(thrown) };
}

function describeExit(displayName: string, exit: ProcessExit): string {
  if (exit.spawnError) return `${displayName} could not be started: ${exit.spawnError.message}`;
  if (exit.lost !== undefined) return `the connection to ${displayName} was lost: ${exit.lost}`;
  if (exit.signal) return `${displayName} was ended by ${exit.signal} before its turn was over`;
  return `${displayName} exited with code ${exit.code} before its turn was over`;
}

/** The adapter's events for a failed spawn or an exit. For a lost connection there are none. */
export function adapterMessage(adapter: AgentAdapter, exit: ProcessExit): EventBody[] {
  if (exit.lost !== undefined) return [];
  if (exit.spawnError) return adapter.onSpawnError ? [adapter.onSpawnError(exit.spawnError)] : [];
  return adapter.onProcessExit?.(exit.code, exit.signal) ?? [];
}

/** The adapter's crash event for an end during a turn, or a default one; with the tail of stderr, without secrets. */
export function crashOf(
  { displayName }: AgentAdapter,
  { exit, stderr, adapterEvents = [] }: AgentEnd,
  secrets: readonly string[],
): CrashBody {
  const tail = redactSecrets(stderr, secrets).slice(-STDERR_TAIL_CHARS);
  const own = adapterEvents.find((body): body is CrashBody => body.type === 'crash');
  const crash: CrashBody = own
    ? { ...own, stderr: own.stderr || tail }
    : {
        type: 'crash',
        exitCode: exit.code,
        signal: exit.signal,
        stderr: tail,
        message: describeExit(displayName, exit),
      };
  return { ...crash, message: withStderr(crash.message, crash.stderr) };
}

/** Appends the last lines of stderr to the message, unless it already contains them. */
function withStderr(message: string, stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => readTerminalLine(line).replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
  const quoted = lines.slice(-QUOTED_LINES).join(' | ');
  if (quoted === '' || message.includes(quoted)) return message;
  return message + BEFORE_STDERR + (quoted.length > QUOTED_CHARS ? `...${quoted.slice(-QUOTED_CHARS)}` : quoted);
}

export function timeoutOf(displayName: string, kind: TimeoutKind, limitMs: number) {
  const limit = formatDuration(limitMs);
  const message = {
    run: `the run took longer than ${limit}`,
    inactivity: `${displayName} was silent for ${limit} within a turn`,
    after_tool: `${displayName} was silent for ${limit} after a tool result`,
    exit: `${displayName} did not exit within ${limit} after its last event`,
  }[kind];
  return { type: 'timeout', kind, limitMs, message } as const;
}
