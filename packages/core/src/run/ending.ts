import type { ErrorCode } from '../contract/errors.ts';
import { type EventBody, type ExitReason, TERMINAL_EVENTS, type TimeoutKind } from '../contract/events.ts';
import type { RunError, RunResult } from '../contract/run.ts';
import { redactSecrets } from '../redact/redact.ts';
import type { AgentEnd } from './channels/channel.ts';
import type { RunParts } from './parts.ts';
import { asRunError, crashOf, endCodeOf, exitReasonOf, timeoutOf } from './turns/failure.ts';

export interface EndCause {
  /** Kills the agent instead of waiting for it. */
  kill?: boolean;
  /** The terminal event. */
  last?: EventBody;
  error?: RunError;
}

/** Ends a run exactly once, under all circumstances, with one result. */
export class Ending {
  readonly #run: RunParts;
  readonly #started = performance.now();
  readonly #settle = Promise.withResolvers<RunResult>();
  readonly #over = new AbortController();
  #isAborted = false;

  constructor(run: RunParts) {
    this.#run = run;
    // A caller that reads the events learns about a failure there.
    this.result.catch(() => {});
  }

  get result(): Promise<RunResult> {
    return this.#settle.promise;
  }

  /** Aborted when no one waits for the agent any longer. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  abort(reason: string | undefined): void {
    const { phases, retries, connection } = this.#run;
    if (phases.is('closing')) void connection.driver?.kill();
    if (phases.isEnding) return;
    this.#isAborted = true;
    retries.stop();
    const last: EventBody = { type: 'aborted', ...(reason === undefined ? {} : { reason }) };
    const error: RunError = { code: 'ABORTED', message: reason ?? 'the run was aborted' };
    void this.conclude('aborted', { kill: true, last, error });
  }

  /** Ends the run because its turn has failed. */
  async finishFailed(cause: EndCause = {}): Promise<void> {
    const { requests, sequence, fold } = this.#run;
    requests.cancelAll('agent');
    sequence.endTurn('failed');
    const error = fold.error ?? fold.cause ?? undefined;
    await this.conclude(exitReasonOf(error?.code ?? 'AGENT_ERROR'), { ...cause, error });
  }

  crash(end: AgentEnd): void {
    const { adapter, context } = this.#run;
    const last = this.explain(crashOf(adapter, end, context.secrets));
    void this.conclude('crashed', { last, error: { code: endCodeOf(end.exit), message: last.message } });
  }

  async timeOut(kind: TimeoutKind, limitMs: number): Promise<void> {
    const { adapter, phases, connection, sequence, retries } = this.#run;
    if (phases.isEnding) return;
    connection.driver?.flush();
    const reported = adapter.onTimeout?.(kind);
    if (reported && !TERMINAL_EVENTS.has(reported.type)) sequence.write(reported);
    const own = timeoutOf(adapter.displayName, kind, limitMs);
    const last = reported?.type === 'timeout' ? { ...own, message: reported.message } : own;
    if (kind !== 'run' && retries.tryAgain(last)) return;
    const code: ErrorCode = kind === 'run' ? 'TIMEOUT' : 'INACTIVITY_TIMEOUT';
    await this.conclude(exitReasonOf(code), { kill: true, last, error: { code, message: last.message } });
  }

  /** Before the first event, the result rejects as if the call itself had thrown; after that, the run fails. */
  async fail(thrown: unknown): Promise<void> {
    const { phases, sequence, connection, context, turns, log } = this.#run;
    if (phases.isEnding) return;
    if (sequence.count > 0) {
      const error = asRunError(thrown);
      sequence.write({ type: 'error', ...error, recoverable: false });
      await this.conclude(exitReasonOf(error.code), { kill: true, error });
      return;
    }
    phases.enter('over');
    this.#stopWatching();
    await connection.driver?.kill().catch(() => {});
    await context.tidyUp();
    await context.finished(undefined);
    turns.wakeWaiters();
    log.end(thrown);
    this.#settle.reject(thrown);
  }

  async conclude(reason: ExitReason, { kill = false, last, error }: EndCause = {}): Promise<void> {
    const { phases, requests, connection, context, sequence, turns, fold, log } = this.#run;
    if (phases.isEnding) return;
    phases.enter('closing');
    this.#stopWatching();
    requests.cancelAll(this.#isAborted ? 'caller' : 'agent');
    await connection.close(kill);
    const left = await context.tidyUp();
    if (left !== undefined) this.#warn('scratch_left', left);
    if (turns.queued > 0 && !this.#isAborted)
      this.#warn('turns_not_sent', `${turns.queued} further turns were not sent: the run has ended`);
    const terminal = last ?? connection.takeLingering();
    if (terminal) sequence.write(terminal);
    const isGood = reason === 'completed' || reason === 'interrupted';
    const resultNow = () => this.#resultOf(reason, error ?? (isGood ? null : fold.error));
    // A run index that cannot be written (read-only project, full disk) must not fail a good run; it is reported.
    const notRemembered = await context.remember(resultNow());
    if (notRemembered !== undefined) this.#warn('run_index_failed', notRemembered);
    sequence.endSession(reason);
    const result = resultNow();
    phases.enter('over');
    turns.wakeWaiters();
    await context.finished(result);
    log.end();
    this.#settle.resolve(result);
  }

  /** Adds an explanation from the agent's environment to the failure, if there is one. */
  explain<Failure extends EventBody & { message: string }>(failure: Failure): Failure {
    const why = this.#run.context.explain?.(failure);
    return why === undefined ? failure : { ...failure, message: `${failure.message} (${why})` };
  }

  #warn(code: string, message: string): void {
    this.#run.note({ type: 'debug', level: 'warn', code, message });
  }

  #stopWatching(): void {
    const { watchdogs, connection, turns } = this.#run;
    this.#over.abort();
    watchdogs.stop();
    connection.stopWatchingExit();
    turns.stop();
  }

  #resultOf(exitReason: ExitReason, error: RunError | null): RunResult {
    const { options, mode, fold, sequence, connection, context } = this.#run;
    const { runId, agent, tags = [] } = options;
    const { text, omittedTextChars, model, usage, costUsd, costSource, serviceTier, quota, structured } = fold;
    return {
      runId,
      agent,
      mode: mode.name,
      text,
      ...(omittedTextChars === 0 ? {} : { omittedTextChars }),
      sessionId: sequence.sessionId ?? null,
      model,
      usage,
      costUsd,
      costSource,
      serviceTier,
      quota,
      durationMs: Math.round(performance.now() - this.#started),
      exitReason,
      exitCode: connection.exitCode,
      error: error && { ...error, message: redactSecrets(error.message, context.secrets) },
      turnCount: sequence.turnCount,
      ...(structured === undefined ? {} : { structured }),
      tags,
    };
  }
}
