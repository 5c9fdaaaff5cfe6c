import type { EventBody } from '../contract/events.ts';
import type { RetryPolicy } from '../contract/options.ts';
import { failureOf, mayRetry } from '../contract/retry.ts';
import { durationInWords } from '../duration.ts';
import { waitOf } from '../limits/limit-event.ts';
import type { RunParts } from './parts.ts';
import { asRunError } from './turns/failure.ts';

type Retry = Extract<EventBody, { type: 'retry' }> & { delayMs: number };

/** A turn that has failed before it showed anything is tried again, from the start, in a new process. */
export class Retries {
  readonly #run: RunParts;
  readonly #started = performance.now();
  /** So many attempts have failed before the one that is under way. */
  #attempt = 0;
  #wake: () => void = () => {};

  constructor(run: RunParts) {
    this.#run = run;
  }

  /** False: this failure is final. */
  tryAgain(event: EventBody): boolean {
    const { sequence, turns, phases, options, requests } = this.#run;
    const { isProductive, isInterrupting } = turns.current;
    if (!phases.is('turn') || sequence.turnCount > 1 || isProductive || isInterrupting) return false;
    if (!this.#isWanted(event)) return false;
    const waitMs = waitOf(event, Date.now());
    const tooLong = refuseWait(waitMs, options.retryPolicy, this.#timeLeft());
    if (tooLong) {
      this.#run.note({ type: 'debug', level: 'warn', code: 'limit_not_waited_for', message: tooLong });
      return false;
    }
    const retry = this.#next(failureOf(event)?.message ?? event.type, waitMs);
    if (!retry) return false;
    turns.current.failure = undefined;
    requests.cancelAll('agent');
    sequence.write(retry);
    void this.startOver(retry.delayMs);
    return true;
  }

  /** Gives the connection up and opens another one for the same turn. */
  async startOver(delayMs: number): Promise<void> {
    const { phases, watchdogs, connection, turns } = this.#run;
    // A listener may have ended the run when it heard of the retry.
    if (!phases.is('turn')) return;
    phases.enter('backoff');
    watchdogs.watchTurn(false);
    await Promise.all([connection.giveUp(), this.#wait(delayMs)]);
    // Only now: a run that is ended while it waits keeps the session that it has told of.
    if (phases.is('backoff')) await this.#dropSession();
    if (!phases.is('backoff') || !turns.current.input) return;
    phases.enter('opening');
    connection.open(turns.current.input);
  }

  /** The wait is over: the run ends. */
  stop(): void {
    this.#wake();
  }

  /** Undefined: it has been tried often enough. `waitMs`: so long it would fail for certain. */
  #next(reason: string, waitMs: number): Retry | undefined {
    const { retryPolicy } = this.#run.options;
    const { maxRetries: maxAttempts } = retryPolicy;
    if (this.#attempt >= maxAttempts) return undefined;
    this.#attempt += 1;
    const delayMs = retryDelay(retryPolicy, this.#attempt, waitMs);
    return { type: 'retry', attempt: this.#attempt, maxAttempts, delayMs, reason, by: 'engine' };
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #timeLeft(): number {
    const { timeout } = this.#run.options;
    return timeout ? timeout - (performance.now() - this.#started) : Number.POSITIVE_INFINITY;
  }

  /** An adapter that cannot say is taken for a no. */
  #isWanted(event: EventBody): boolean {
    const { adapter, options } = this.#run;
    try {
      return (
        adapter.shouldRetry?.(event, this.#attempt, options.retryPolicy) ??
        mayRetry(event, this.#attempt, options.retryPolicy)
      );
    } catch (thrown) {
      this.#run.note({ type: 'error', ...asRunError(thrown), recoverable: true });
      return false;
    }
  }

  /** Only the first turn is tried again: however often that is, it leaves one session. */
  async #dropSession(): Promise<void> {
    const { sequence, options, surroundings } = this.#run;
    const { sessionId } = sequence;
    if (options.sessionId !== undefined || sessionId === undefined) return;
    try {
      if (await surroundings.dropSession?.(sessionId)) sequence.forgetSession();
    } catch (thrown) {
      const message = `session ${sessionId} of the attempt that failed is left: ${asRunError(thrown).message}`;
      this.#run.note({ type: 'debug', level: 'warn', code: 'session_left', message });
    }
  }
}

/** Exponential, bounded; never sooner than the other side asked for. */
function retryDelay(policy: RetryPolicy, attempt: number, waitMs: number): number {
  const backoff = policy.initialDelayMs * policy.multiplier ** (attempt - 1);
  return Math.max(Math.min(backoff, policy.maxDelayMs), waitMs);
}

/** Why nobody waits so long for a limit to be lifted; undefined: it is waited for. `leftMs`: of the run's time. */
function refuseWait(waitMs: number, policy: RetryPolicy, leftMs: number): string | undefined {
  const lasts = `not tried again: the limit lasts for another ${durationInWords(waitMs)}`;
  if (waitMs > policy.maxDelayMs)
    return `${lasts}, and no wait may be longer than ${durationInWords(policy.maxDelayMs)} (retryPolicy.maxDelayMs)`;
  return waitMs >= leftMs ? `${lasts}, and the run may take only ${durationInWords(leftMs)} more (timeout)` : undefined;
}
