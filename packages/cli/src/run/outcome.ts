import {
  type AgentAdapter,
  DEFAULT_RETRY_POLICY,
  type ErrorCode,
  type RetryPolicy,
  type RunResult,
} from '@agent-mux/core';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import type { Failure, ToldFailure } from '../failure.ts';
import { untilTime } from '../screen/time.ts';
import { duration } from './amounts.ts';

type Advice = (result: RunResult, adapter: AgentAdapter, policy: RetryPolicy) => string | undefined;

/** What a person can do about a run that ended so. */
const ADVICE: Partial<Record<ErrorCode, Advice>> = {
  AUTH_ERROR: (_, adapter) => adapter.getAuthGuidance().steps.join(' ') || undefined,
  RATE_LIMITED: limitAdvice,
  CONTEXT_EXCEEDED: () => 'start a new session, or ask for less at once',
  TIMEOUT: ({ agent }) =>
    `--timeout sets the limit of a run; amux doctor ${agent} looks at an agent that does not answer`,
  INACTIVITY_TIMEOUT: () => '--inactivity-timeout and --after-tool-timeout set the limits',
  AGENT_CRASH: ({ agent }) => `--trace FILE keeps every byte of a run; amux verify ${agent} checks the adapter`,
  SPAWN_ERROR: ({ agent }) => `amux detect ${agent} says what is installed`,
  SESSION_NOT_FOUND: () => 'amux sessions --all lists the sessions that can be read here',
  MAX_TURNS: () => '--max-turns sets the limit; --resume goes on',
};

/** Undefined: the run went well. */
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

/** What `--retries` would do, or has done: it waits until the limit is lifted, up to a time, and repeats nothing that was shown. */
function limitAdvice({ error, text }: RunResult, _: AgentAdapter, { maxRetries, maxDelayMs }: RetryPolicy): string {
  const helps = maxRetries === 0 && text === '';
  const resetsAt = error?.resetsAt;
  if (resetsAt === undefined)
    return `nobody says when the limit is lifted; ${helps ? '--retries 3 tries again, after 1, 2 and 4 s' : 'try again later'}`;
  const when = `the limit is lifted ${untilTime(resetsAt)}`;
  if (!helps) return `${when}; try again then`;
  if (resetsAt - Date.now() <= maxDelayMs) return `${when}; --retries 3 waits for it`;
  return `${when}; try again then: --retries waits no longer than ${duration(maxDelayMs)} (maxDelayMs of --retry-policy)`;
}

function exitCodeOfRun({ exitReason, error }: RunResult): number {
  const byReason = exitCodeOf(exitReason);
  return byReason === EXIT.failure && error ? exitCodeOf(error.code) : byReason;
}

/** A run that ended well, though not everything was done that the agent wanted to do. */
export function failureOfNotAsking(result: RunResult, adapter: AgentAdapter, times: number): ToldFailure {
  return {
    message: `${adapter.displayName} asked ${times === 1 ? 'once' : `${times} times`}, and there was no terminal to answer on`,
    hint: '--approval-mode accept-edits, plan, deny or yolo decides beforehand',
    agent: result.agent,
    exitCode: EXIT.notAsked,
  };
}
