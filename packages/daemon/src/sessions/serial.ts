/** One thing at a time for each key, in the order of asking. */
export class Serial {
  readonly #last = new Map<string, Promise<unknown>>();

  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => {});
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return mine;
  }

  /** Resolves when nothing is under way. */
  async rest(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
