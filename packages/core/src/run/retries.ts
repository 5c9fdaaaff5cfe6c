import type { EventBody } from '../contract/events.ts';
import type { RetryPolicy } from '../contract/options.ts';
import { failureOf, mayRetry } from '../contract/retry.ts';
import { formatDuration } from '../duration.ts';
import { waitOf } from '../limits/limit-event.ts';
import type { RunParts } from './parts.ts';
import { asRunError } from './turns/failure.ts';

type Retry = Extract<EventBody, { type: 'retry' }> & { delayMs: number };

/** Retries a turn that failed before it showed anything, from the start and in a new process. */
export class Retries {
  readonly #run: RunParts;
  readonly #started = performance.now();
  /** Number of failed attempts before the current one. */
  #attempt = 0;
  #wake: () => void = () => {};

  constructor(run: RunParts) {
    this.#run = run;
  }

  /** Returns false if this failure is final. */
  tryAgain(event: EventBody): boolean {
    const { sequence, turns, phases, options, requests } = this.#run;
    const { isProductive, isInterrupting } = turns.current;
    if (!phases.is('turn') || sequence.turnCount > 1 || isProductive || isInterrupting) return false;
    if (!this.#isWanted(event)) return false;
    const waitMs = waitOf(event, Date.now());
    const tooLong = refuseWait(waitMs, options.retryPolicy, this.#timeLeft());
    if (tooLong) {
      this.#run.note({ type: 'debug', level: 'warn', code: 'retry_skipped', message: tooLong });
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

  /** Closes the connection and opens another one for the same turn. */
  async startOver(delayMs: number): Promise<void> {
    const { phases, watchdogs, connection, turns } = this.#run;
    // A listener of the retry event may have ended the run.
    if (!phases.is('turn')) return;
    phases.enter('backoff');
    watchdogs.watchTurn(false);
    await Promise.all([connection.giveUp(), this.#wait(delayMs)]);
    // Only now: a run that is ended during the delay keeps its reported session.
    if (phases.is('backoff')) await this.#dropSession();
    if (!phases.is('backoff') || !turns.current.input) return;
    phases.enter('opening');
    connection.open(turns.current.input);
  }

  /** Ends the delay because the run ends. */
  stop(): void {
    this.#wake();
  }

  /** Undefined if the attempts are used up. `waitMs`: until then an attempt fails for certain. */
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

  /** An adapter that throws counts as a no. */
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

  /** Only the first turn is retried: however often, it leaves one session. */
  async #dropSession(): Promise<void> {
    const { sequence, options, context } = this.#run;
    const { sessionId } = sequence;
    if (options.sessionId !== undefined || sessionId === undefined) return;
    try {
      if (await context.dropSession?.(sessionId)) sequence.forgetSession();
    } catch (thrown) {
      const message = `could not delete session ${sessionId} of the failed attempt: ${asRunError(thrown).message}`;
      this.#run.note({ type: 'debug', level: 'warn', code: 'session_orphaned', message });
    }
  }
}

/** Exponential and bounded; never sooner than the provider requested. */
function retryDelay(policy: RetryPolicy, attempt: number, waitMs: number): number {
  const backoff = policy.initialDelayMs * policy.multiplier ** (attempt - 1);
  return Math.max(Math.min(backoff, policy.maxDelayMs), waitMs);
}

/** Why the wait for a limit is too long; undefined if it is not. `leftMs`: remaining time of the run. */
function refuseWait(waitMs: number, policy: RetryPolicy, leftMs: number): string | undefined {
  const prefix = `not retried: the limit resets in ${formatDuration(waitMs)}`;
  if (waitMs > policy.maxDelayMs)
    return `${prefix}, which exceeds the maximum delay of ${formatDuration(policy.maxDelayMs)} (retryPolicy.maxDelayMs)`;
  return waitMs >= leftMs ? `${prefix}, but the run has only ${formatDuration(leftMs)} left (timeout)` : undefined;
}
