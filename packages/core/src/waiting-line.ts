interface Line {
  served: number;
  waiting: (() => void)[];
}

/** At most so many at once for each key; the others wait in the order of asking. */
export class WaitingLine {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Resolves when it is one's turn, to what gives it on; rejects when `over` says that nobody waits any longer. `waits` is
   * called with the number of those before.
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
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#giveOn(key, line);
    };
  }

  /** Work that takes its turn. With the signal it begins at once, without one: it is to see that nobody wants it any more. */
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
