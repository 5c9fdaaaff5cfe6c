import { messageOf } from '@agent-mux/core';
import { type Commit, isPassing, type Store } from '../store/store.ts';

/** Retry interval: a full disk may be freed, and a broken one replaced. */
const RETRY_MS = 500;
/** Time from a commit to its sync, after which it survives a power loss and keepers may drop it. */
const SYNC_AFTER_MS = 1000;

interface Waiting {
  batch: Commit;
  resolve(): void;
  reject(error: unknown): void;
}

export interface CommitterEvents {
  committed(batches: readonly Commit[]): void;
  /** All of these are durable up to this sequence number. */
  durable(upTo: ReadonlyMap<string, number>): void;
  /** Null means that it works again. */
  storageError(problem: string | null): void;
}

/** Commits many sessions in one transaction: what arrives during a transaction goes into the next one. */
export class Committer {
  readonly #store: Store;
  readonly #events: CommitterEvents;
  #waiting: Waiting[] = [];
  #undurable = new Map<string, number>();
  #work: Promise<void> | undefined;
  #syncing: NodeJS.Timeout | undefined;
  #hasProblem = false;
  #closed = false;

  constructor(store: Store, events: CommitterEvents) {
    this.#store = store;
    this.#events = events;
  }

  /** Resolves when the batch is stored. Rejects if it never can be, because of a gap before it. */
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
    // Collects what else arrives in this tick.
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

  /** An invalid batch must not block the others. */
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
        this.#report(messageOf(error));
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (this.#closed) {
          one.reject(error);
          return;
        }
      }
    }
  }

  #settle(done: readonly Waiting[]): void {
    this.#report(null);
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
      // A commit that waits for disk space reports its own recovery.
      if (this.#work === undefined) this.#report(null);
    } catch (error) {
      this.#report(messageOf(error));
      for (const [session, seq] of upTo) if (!this.#undurable.has(session)) this.#undurable.set(session, seq);
      if (!this.#closed) this.#syncing ??= setTimeout(() => void this.#sync(), SYNC_AFTER_MS);
    }
  }

  #report(problem: string | null): void {
    if (problem === null && !this.#hasProblem) return;
    this.#hasProblem = problem !== null;
    this.#events.storageError(problem);
  }
}
