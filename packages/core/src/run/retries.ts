import type { EventBody } from '../contract/events.ts';
import type { RetryPolicy } from '../contract/options.ts';

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

  /** The next attempt; undefined: there is none any more. */
  next(reason: string, retryAfterMs = 0): Retry | undefined {
    const { maxRetries: maxAttempts } = this.#policy;
    if (this.#attempt >= maxAttempts) return undefined;
    this.#attempt += 1;
    const delayMs = retryDelay(this.#policy, this.#attempt, retryAfterMs);
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
function retryDelay(policy: RetryPolicy, attempt: number, retryAfterMs = 0): number {
  const backoff = policy.initialDelayMs * policy.multiplier ** (attempt - 1);
  return Math.max(Math.min(backoff, policy.maxDelayMs), retryAfterMs);
}
