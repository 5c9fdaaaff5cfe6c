import type { EventBody } from '../../contract/events.ts';
import type { RetryPolicy } from '../../contract/options.ts';
import { durationInWords } from '../../duration.ts';

type Retry = Extract<EventBody, { type: 'retry' }> & { delayMs: number };

/** How often a turn may still be tried again, and the waiting before. */
export class Retries {
  readonly #policy: RetryPolicy;
  #attempt = 0;
  #wake: () => void = () => {};

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /** How many attempts have failed before the one that is under way. */
  get attempt(): number {
    return this.#attempt;
  }

  /** The next attempt; undefined: there is none any more. `waitMs`: so long it would fail for certain. */
  next(reason: string, waitMs = 0): Retry | undefined {
    const { maxRetries: maxAttempts } = this.#policy;
    if (this.#attempt >= maxAttempts) return undefined;
    this.#attempt += 1;
    const delayMs = retryDelay(this.#policy, this.#attempt, waitMs);
    return { type: 'retry', attempt: this.#attempt, maxAttempts, delayMs, reason, by: 'engine' };
  }

  /** Resolves after the time, or when somebody wakes it. */
  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake(): void {
    this.#wake();
  }
}

/** Exponential, bounded; never sooner than the other side asked for. */
function retryDelay(policy: RetryPolicy, attempt: number, waitMs: number): number {
  const backoff = policy.initialDelayMs * policy.multiplier ** (attempt - 1);
  return Math.max(Math.min(backoff, policy.maxDelayMs), waitMs);
}

/** Why nobody waits so long for a limit to be lifted; undefined: it is waited for. `leftMs`: of the run's time. */
export function refuseWait(waitMs: number, policy: RetryPolicy, leftMs: number): string | undefined {
  const lasts = `not tried again: the limit lasts for another ${durationInWords(waitMs)}`;
  if (waitMs > policy.maxDelayMs)
    return `${lasts}, and no wait may be longer than ${durationInWords(policy.maxDelayMs)} (retryPolicy.maxDelayMs)`;
  return waitMs >= leftMs ? `${lasts}, and the run may take only ${durationInWords(leftMs)} more (timeout)` : undefined;
}
