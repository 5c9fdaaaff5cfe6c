/** So many parts may be open at once, or remembered. An agent that opens more loses the oldest. */
export const MAX_OPEN_PARTS = 10_000;
/** Their names are the agent's words: so many characters of them are kept. */
const MAX_NAME_CHARS = 16 * 1024 * 1024;

interface Entry<T> {
  value: T;
  chars: number;
}

/** What an agent has named, by that name. It never grows beyond its limits: the oldest entries give way. */
export class BoundedTable<T> {
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

  /** Returns what had to give way, oldest first. `more`: further characters that the value keeps. */
  set(name: string, value: T, more = 0): [string, T][] {
    this.delete(name);
    const chars = name.length + more;
    this.#entries.set(name, { value, chars });
    this.#chars += chars;
    const gone: [string, T][] = [];
    while (this.#entries.size > this.#limit || (this.#chars > MAX_NAME_CHARS && this.#entries.size > 1)) {
      const [oldest, entry] = this.#entries.entries().next().value!;
      gone.push([oldest, entry.value]);
      this.delete(oldest);
    }
    return gone;
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

  /** As it is now: what is done with an entry may change the table. */
  entries(): [string, T][] {
    return [...this.#entries].map(([name, { value }]) => [name, value]);
  }
}
