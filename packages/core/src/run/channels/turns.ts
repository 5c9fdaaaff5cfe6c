/** Who may use what serves one at a time: in the order of asking. */
export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * Resolves when it is one's turn, to what gives it on; rejects when `over` says that nobody waits any longer. `waits` is
   * called with the number of those before.
   */
  async take(key: string, over: AbortSignal, waits: (before: number) => void): Promise<() => void> {
    const queue = this.#waiting.get(key);
    if (!queue) this.#waiting.set(key, []);
    else {
      waits(queue.length + 1);
      await new Promise<void>((resolve, reject) => {
        const enter = () => {
          over.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = () => {
          queue.splice(queue.indexOf(enter), 1);
          reject(over.reason);
        };
        if (over.aborted) return reject(over.reason);
        queue.push(enter);
        over.addEventListener('abort', giveUp, { once: true });
      });
    }
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.#waiting.get(key)?.shift();
      if (next) next();
      else this.#waiting.delete(key);
    };
  }
}
