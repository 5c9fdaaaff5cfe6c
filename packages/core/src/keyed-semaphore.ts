interface Line {
  served: number;
  waiting: (() => void)[];
}

/** Limits the number of concurrent holders per key; others wait in order. */
export class KeyedSemaphore {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Resolves with a release function when a slot is free; rejects when `over` is aborted. `waits` is called with the
   * number of waiters ahead.
   */
  async take(
    key: string,
    { over, waits }: { over?: AbortSignal; waits?: (before: number) => void } = {},
  ): Promise<() => void> {
    const line = this.#lines.get(key) ?? { served: 0, waiting: [] };
    this.#lines.set(key, line);
    if (line.served < this.#most) line.served += 1;
    else {
      waits?.(line.waiting.length + this.#most);
      await waitIn(line, over);
    }
    let options = false;
    return () => {
      if (options) return;
      options = true;
      this.#giveOn(key, line);
    };
  }

  /** Runs work in a slot. After an abort the work starts immediately without a slot, so that it can see the abort. */
  async run<Result>(key: string, work: () => Promise<Result>, over?: AbortSignal): Promise<Result> {
    if (over?.aborted) return work();
    const giveOn = await this.take(key, { over }).catch(() => () => {});
    try {
      return await work();
    } finally {
      giveOn();
    }
  }

  #giveOn(key: string, line: Line): void {
    const next = line.waiting.shift();
    if (next) {
      next();
      return;
    }
    line.served -= 1;
    if (line.served === 0) this.#lines.delete(key);
  }
}

function waitIn(line: Line, over: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (over?.aborted) return reject(over.reason);
    const enter = () => {
      over?.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      line.waiting.splice(line.waiting.indexOf(enter), 1);
      reject(over?.reason);
    };
    line.waiting.push(enter);
    over?.addEventListener('abort', giveUp, { once: true });
  });
}
