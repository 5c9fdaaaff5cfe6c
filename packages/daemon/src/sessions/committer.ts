import { messageOf } from '@agent-mux/core';
import { type Commit, isPassing, type Store } from '../store/store.ts';

/** A full disk may have room again, and a broken one may be replaced. */
const RETRY_MS = 500;
/** So long after a commit it is made to survive a loss of power, and the keepers may drop it. */
const SYNC_AFTER_MS = 1000;

interface Waiting {
  batch: Commit;
  resolve(): void;
  reject(error: unknown): void;
}

export interface CommitterEvents {
  committed(batches: readonly Commit[]): void;
  /** All of these are durable up to here. */
  durable(upTo: ReadonlyMap<string, number>): void;
  /** Null: it works again. */
  trouble(problem: string | null): void;
}

/** Many sessions, one transaction: whatever has come while the last one was written goes into the next. */
export class Committer {
  readonly #store: Store;
  readonly #events: CommitterEvents;
  #waiting: Waiting[] = [];
  #undurable = new Map<string, number>();
  #work: Promise<void> | undefined;
  #syncing: NodeJS.Timeout | undefined;
  #troubled = false;
  #closed = false;

  constructor(store: Store, events: CommitterEvents) {
    this.#store = store;
    this.#events = events;
  }

  /** Resolves when it is in the store. Rejects where it can never be: a gap before it. */
  commit(batch: Commit): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, resolve, reject });
      this.#work ??= this.#writeAll().finally(() => {
        this.#work = undefined;
      });
    });
  }

  async close(): Promise<void> {
    await this.#work;
    this.#closed = true;
    clearTimeout(this.#syncing);
    await this.#sync();
  }

  async #writeAll(): Promise<void> {
    // What else comes in this moment goes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const now = this.#waiting;
      this.#waiting = [];
      if (!(await this.#tryTogether(now))) for (const one of now) await this.#writeOne(one);
    }
  }

  async #tryTogether(all: readonly Waiting[]): Promise<boolean> {
    try {
      await this.#store.commit(all.map(({ batch }) => batch));
    } catch {
      return false;
    }
    this.#settle(all);
    return true;
  }

  /** One that can never be written must not hold the others. */
  async #writeOne(one: Waiting): Promise<void> {
    for (;;) {
      try {
        await this.#store.commit([one.batch]);
        this.#settle([one]);
        return;
      } catch (error) {
        if (!isPassing(error)) {
          one.reject(error);
          return;
        }
        this.#tell(messageOf(error));
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (this.#closed) {
          one.reject(error);
          return;
        }
      }
    }
  }

  #settle(done: readonly Waiting[]): void {
    this.#tell(null);
    for (const { batch } of done) this.#undurable.set(batch.sessionId, batch.to);
    this.#events.committed(done.map(({ batch }) => batch));
    for (const { resolve } of done) resolve();
    this.#syncing ??= setTimeout(() => void this.#sync(), SYNC_AFTER_MS);
  }

  async #sync(): Promise<void> {
    this.#syncing = undefined;
    const upTo = this.#undurable;
    if (upTo.size === 0) return;
    this.#undurable = new Map();
    try {
      await this.#store.sync();
      this.#events.durable(upTo);
      // A commit that is waiting for room says itself when it has it.
      if (this.#work === undefined) this.#tell(null);
    } catch (error) {
      this.#tell(messageOf(error));
      for (const [session, seq] of upTo) if (!this.#undurable.has(session)) this.#undurable.set(session, seq);
      if (!this.#closed) this.#syncing ??= setTimeout(() => void this.#sync(), SYNC_AFTER_MS);
    }
  }

  #tell(problem: string | null): void {
    if (problem === null && !this.#troubled) return;
    this.#troubled = problem !== null;
    this.#events.trouble(problem);
  }
}
