/** At most so many pieces of work at once; the others wait in the order in which they came. */
export class AtMost {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /** With the signal the work begins at once, without a turn: it is to see that nobody wants it any more. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const hasTurn = await this.#turn(signal);
    try {
      return await work();
    } finally {
      if (hasTurn) this.#handOn();
    }
  }

  async #turn(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return false;
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const called = () => resolve(true);
    const left = () => {
      this.#waiting.delete(called);
      resolve(false);
    };
    this.#waiting.add(called);
    signal?.addEventListener('abort', left, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', left);
    }
  }

  #handOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
