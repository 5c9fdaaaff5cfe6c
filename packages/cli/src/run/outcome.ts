import {
  type AgentAdapter,
  DEFAULT_RETRY_POLICY,
  type ErrorCode,
  type RetryPolicy,
  type RunResult,
} from '@agent-mux/core';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import type { Failure, FailureReport } from '../failure.ts';
import { untilTime } from '../screen/time.ts';
import { duration } from './format.ts';

type Advice = (result: RunResult, adapter: AgentAdapter, policy: RetryPolicy) => string | undefined;

/** Hint for each error code of a run. */
const ADVICE: Partial<Record<ErrorCode, Advice>> = {
  AUTH_ERROR: (_, adapter) => adapter.getAuthGuidance().steps.join(' ') || undefined,
  RATE_LIMITED: limitAdvice,
  CONTEXT_EXCEEDED: () => 'start a new session or use a shorter prompt',
  TIMEOUT: ({ agent }) => `use --timeout to set the limit; run "amux doctor ${agent}" if the agent does not respond`,
  INACTIVITY_TIMEOUT: () => 'use --inactivity-timeout and --after-tool-timeout to set the limits',
  AGENT_CRASH: ({ agent }) => `use --trace FILE to record the run; run "amux verify ${agent}" to check the adapter`,
  SPAWN_ERROR: ({ agent }) => `run "amux detect ${agent}" to see what is installed`,
  SESSION_NOT_FOUND: () => 'run "amux sessions --all" to list sessions',
  MAX_TURNS: () => 'use --max-turns to set the limit, or --resume to continue',
};

/** Undefined if the run succeeded. */
export function failureOfRun(
  result: RunResult,
  adapter: AgentAdapter,
  policy: Partial<RetryPolicy> = {},
): Failure | undefined {
  const exitCode = exitCodeOfRun(result);
  if (exitCode === EXIT.ok) return undefined;
  const { error, exitReason, agent } = result;
  const code = error?.code ?? (exitReason === 'interrupted' ? 'ABORTED' : 'AGENT_ERROR');
  const message = error?.message ?? (exitReason === 'interrupted' ? 'the turn was interrupted' : exitReason);
  const about = message.startsWith(adapter.displayName) ? message : `${adapter.displayName}: ${message}`;
  return {
    code,
    message: about,
    hint: ADVICE[code]?.(result, adapter, { ...DEFAULT_RETRY_POLICY, ...policy }),
    agent,
    exitCode,
  };
}

/** What `--retries` would do or has done: it waits for the reset up to a maximum and repeats nothing already shown. */
function limitAdvice({ error, text }: RunResult, _: AgentAdapter, { maxRetries, maxDelayMs }: RetryPolicy): string {
  const helps = maxRetries === 0 && text === '';
  const resetsAt = error?.resetsAt;
  if (resetsAt === undefined)
    return `the reset time is unknown; ${helps ? 'use --retries 3 to retry after 1, 2 and 4 s' : 'try again later'}`;
  const when = `the limit resets ${untilTime(resetsAt)}`;
  if (!helps) return `${when}; try again then`;
  if (resetsAt - Date.now() <= maxDelayMs) return `${when}; use --retries 3 to wait for it`;
  return `${when}; try again then: --retries waits at most ${duration(maxDelayMs)} (maxDelayMs of --retry-policy)`;
}

function exitCodeOfRun({ exitReason, error }: RunResult): number {
  const byReason = exitCodeOf(exitReason);
  return byReason === EXIT.failure && error ? exitCodeOf(error.code) : byReason;
}

/** A run that succeeded although some requests were denied for lack of a terminal. */
export function unansweredFailure(result: RunResult, adapter: AgentAdapter, times: number): FailureReport {
  return {
    message: `${adapter.displayName} asked ${times === 1 ? 'once' : `${times} times`}, but there was no terminal to answer on`,
    hint: 'use --approval-mode accept-edits, plan, deny or yolo to decide in advance',
    agent: result.agent,
    exitCode: EXIT.notAsked,
  };
}
