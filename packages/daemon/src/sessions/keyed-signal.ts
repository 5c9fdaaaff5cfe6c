/** Wakes waiters by key. A signal only means that it is worth checking again. */
export class KeyedSignal {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** `isReady` is called after the waiter is registered, so that no signal is missed in between. */
  async wait(key: string, signal: AbortSignal, isReady: () => boolean | Promise<boolean>): Promise<void> {
    if (signal.aborted) return;
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(wake));
    signal.addEventListener('abort', wake, { once: true });
    try {
      if (!(await isReady())) await woken;
    } finally {
      signal.removeEventListener('abort', wake);
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    }
  }

  notify(key: string): void {
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    for (const wake of waiting) wake();
  }
}
