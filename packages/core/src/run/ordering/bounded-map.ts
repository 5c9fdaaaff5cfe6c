/** Maximum number of parts that are open at once or remembered. An agent that opens more loses the oldest. */
export const MAX_OPEN_PARTS = 10_000;
/** Maximum characters stored of their keys, which are chosen by the agent. */
const MAX_NAME_CHARS = 16 * 1024 * 1024;

interface Entry<T> {
  value: T;
  chars: number;
}

/** A map by names that the agent chooses. It is bounded: the oldest entries are evicted. */
export class BoundedMap<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #limit: number;
  #chars = 0;

  constructor(limit = MAX_OPEN_PARTS) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  get(name: string): T | undefined {
    return this.#entries.get(name)?.value;
  }

  /** Returns the evicted entries, oldest first. `more`: further characters stored by the value. */
  set(name: string, value: T, more = 0): [string, T][] {
    this.delete(name);
    const chars = name.length + more;
    this.#entries.set(name, { value, chars });
    this.#chars += chars;
    const evicted: [string, T][] = [];
    while (this.#entries.size > this.#limit || (this.#chars > MAX_NAME_CHARS && this.#entries.size > 1)) {
      const [oldest, entry] = this.#entries.entries().next().value!;
      evicted.push([oldest, entry.value]);
      this.delete(oldest);
    }
    return evicted;
  }

  delete(name: string): boolean {
    const entry = this.#entries.get(name);
    if (!entry) return false;
    this.#chars -= entry.chars;
    return this.#entries.delete(name);
  }

  clear(): void {
    this.#entries.clear();
    this.#chars = 0;
  }

  /** A copy: handling an entry may change the map. */
  entries(): [string, T][] {
    return [...this.#entries].map(([name, { value }]) => [name, value]);
  }
}
