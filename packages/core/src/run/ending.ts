import type { ErrorCode } from '../contract/errors.ts';
import { type EventBody, type ExitReason, TERMINAL_EVENTS, type TimeoutKind } from '../contract/events.ts';
import type { RunError, RunResult } from '../contract/run.ts';
import { redactSecrets } from '../redact/redact.ts';
import type { AgentEnd } from './channels/channel.ts';
import type { RunParts } from './parts.ts';
import { asRunError, crashOf, endCodeOf, exitReasonOf, timeoutOf } from './turns/failure.ts';

export interface EndWay {
  /** The agent is not waited for. */
  kill?: boolean;
  /** The terminal event. */
  last?: EventBody;
  error?: RunError;
}

/** A run ends once, under all circumstances, and has one result. */
export class Ending {
  readonly #run: RunParts;
  readonly #started = performance.now();
  readonly #settle = Promise.withResolvers<RunResult>();
  readonly #over = new AbortController();
  #isAborted = false;

  constructor(run: RunParts) {
    this.#run = run;
    // A caller that reads the events learns of a failure there.
    this.result.catch(() => {});
  }

  get result(): Promise<RunResult> {
    return this.#settle.promise;
  }

  /** Aborted when nobody waits for the agent any longer. */
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

  /** The turn has failed, and the run with it. */
  async finishFailed(way: EndWay = {}): Promise<void> {
    const { requests, sequence, fold } = this.#run;
    requests.cancelAll('agent');
    sequence.endTurn('failed');
    const error = fold.error ?? fold.cause ?? undefined;
    await this.conclude(exitReasonOf(error?.code ?? 'AGENT_ERROR'), { ...way, error });
  }

  crash(end: AgentEnd): void {
    const { adapter, surroundings } = this.#run;
    const last = this.explain(crashOf(adapter, end, surroundings.secrets));
    void this.conclude('crashed', { last, error: { code: endCodeOf(end.exit), message: last.message } });
  }

  async timeOut(kind: TimeoutKind, limitMs: number): Promise<void> {
    const { adapter, phases, connection, sequence, retries } = this.#run;
    if (phases.isEnding) return;
    connection.driver?.flush();
    const said = adapter.onTimeout?.(kind);
    if (said && !TERMINAL_EVENTS.has(said.type)) sequence.write(said);
    const own = timeoutOf(adapter.displayName, kind, limitMs);
    const last = said?.type === 'timeout' ? { ...own, message: said.message } : own;
    if (kind !== 'run' && retries.tryAgain(last)) return;
    const code: ErrorCode = kind === 'run' ? 'TIMEOUT' : 'INACTIVITY_TIMEOUT';
    await this.conclude(exitReasonOf(code), { kill: true, last, error: { code, message: last.message } });
  }

  /** Before the first event the promise rejects, as if the call itself had thrown; later the run has failed. */
  async fail(thrown: unknown): Promise<void> {
    const { phases, sequence, connection, surroundings, turns, log } = this.#run;
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
    await surroundings.tidyUp();
    await surroundings.finished(undefined);
    turns.wakeWaiters();
    log.end(thrown);
    this.#settle.reject(thrown);
  }

  async conclude(reason: ExitReason, { kill = false, last, error }: EndWay = {}): Promise<void> {
    const { phases, requests, connection, surroundings, sequence, turns, fold, log } = this.#run;
    if (phases.isEnding) return;
    phases.enter('closing');
    this.#stopWatching();
    requests.cancelAll(this.#isAborted ? 'caller' : 'agent');
    await connection.letGo(kill);
    const left = await surroundings.tidyUp();
    if (left !== undefined) this.#warn('scratch_left', left);
    if (turns.queued > 0 && !this.#isAborted)
      this.#warn('turns_not_sent', `${turns.queued} further turns were not sent: the run has ended`);
    const terminal = last ?? connection.takeLingering();
    if (terminal) sequence.write(terminal);
    const isGood = reason === 'completed' || reason === 'interrupted';
    const resultNow = () => this.#resultOf(reason, error ?? (isGood ? null : fold.error));
    // An index that cannot be written (a read-only project, a full disk) must not fail a run that went well, and is reported.
    const notRemembered = await surroundings.remember(resultNow());
    if (notRemembered !== undefined) this.#warn('run_not_remembered', notRemembered);
    sequence.endSession(reason);
    const result = resultNow();
    phases.enter('over');
    turns.wakeWaiters();
    await surroundings.finished(result);
    log.end();
    this.#settle.resolve(result);
  }

  /** The failure, with what it has to do with the agent's surroundings. */
  explain<Failure extends EventBody & { message: string }>(failure: Failure): Failure {
    const why = this.#run.surroundings.explain?.(failure);
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
    const { options, mode, fold, sequence, connection, surroundings } = this.#run;
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
      error: error && { ...error, message: redactSecrets(error.message, surroundings.secrets) },
      turnCount: sequence.turnCount,
      ...(structured === undefined ? {} : { structured }),
      tags,
    };
  }
}
