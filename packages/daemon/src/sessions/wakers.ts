/** Those who wait for news, by what they wait for. A wake-up says only that it is worth looking again. */
export class Wakers {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** `isNews` is asked after the place is taken, so that nothing is missed in between. */
  async wait(key: string, signal: AbortSignal, isNews: () => boolean | Promise<boolean>): Promise<void> {
    if (signal.aborted) return;
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(wake));
    signal.addEventListener('abort', wake, { once: true });
    try {
      if (!(await isNews())) await woken;
    } finally {
      signal.removeEventListener('abort', wake);
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    }
  }

  wake(key: string): void {
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    for (const wake of waiting) wake();
  }
}
