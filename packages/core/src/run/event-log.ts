import type { AgentEvent } from '../contract/events.ts';

/** A reader may lag so far behind before the agent is made to wait. */
export const HIGH_WATER_EVENTS = 1024;
export const HIGH_WATER_BYTES = 8 * 1024 * 1024;
/** What is kept for readers that come late, while there is none. Older events are dropped and a late reader is told how many. */
export const RETAINED_EVENTS = 10_000;
export const RETAINED_BYTES = 16 * 1024 * 1024;

type Wake = () => void;

interface Cursor {
  /** The next event that this reader gets, as an index into the whole run. */
  position: number;
  /** It has asked for `position` and waits. */
  waiting: Wake | undefined;
  /** It has asked beyond the events before `position`: it has dealt with them. */
  asked: number;
}

/**
 * The events of one run, between the engine and any number of readers. With readers nothing is dropped: `full` tells the
 * engine to stop reading from the agent until the slowest one has caught up.
 */
export class EventLog {
  readonly #onDrain: Wake;
  readonly #cursors = new Set<Cursor>();
  #events: AgentEvent[] = [];
  #weights: number[] = [];
  /** Index of `#events[0]` in the whole run. */
  #base = 0;
  #bytes = 0;
  #ended = false;
  #failure: unknown;
  #wasFull = false;
  #deliveryWaiters: { beyond: number; wake: Wake }[] = [];

  constructor(onDrain: Wake) {
    this.#onDrain = onDrain;
  }

  get length(): number {
    return this.#base + this.#events.length;
  }

  get hasReaders(): boolean {
    return this.#cursors.size > 0;
  }

  get full(): boolean {
    const full = this.#cursors.size > 0 && (this.#events.length > HIGH_WATER_EVENTS || this.#bytes > HIGH_WATER_BYTES);
    if (full) this.#wasFull = true;
    return full;
  }

  push(event: AgentEvent, weight: number): void {
    this.#events.push(event);
    this.#weights.push(weight);
    this.#bytes += weight;
    if (this.#cursors.size === 0) {
      if (this.#events.length > RETAINED_EVENTS * 2 || this.#bytes > RETAINED_BYTES) this.#forgetOldest();
      return;
    }
    for (const cursor of this.#cursors) cursor.waiting?.();
  }

  end(failure?: unknown): void {
    this.#ended = true;
    this.#failure = failure;
    for (const cursor of this.#cursors) cursor.waiting?.();
    for (const waiter of this.#deliveryWaiters.splice(0)) waiter.wake();
  }

  /** Resolves when every reader has asked for more than the first `beyond` events, or there is no reader. */
  async settled(beyond: number): Promise<void> {
    if (this.#settled(beyond)) return;
    await new Promise<void>((wake) => this.#deliveryWaiters.push({ beyond, wake }));
  }

  read(): AsyncIterator<AgentEvent, void, undefined> {
    const missed = this.#base;
    const cursor: Cursor = { position: this.#base, waiting: undefined, asked: this.#base };
    this.#cursors.add(cursor);
    let notice = missed > 0 ? this.#missedNotice(missed) : undefined;
    let open = true;
    const close = () => {
      open = false;
      this.#cursors.delete(cursor);
      this.#consumed();
    };
    const take = (): IteratorResult<AgentEvent, void> | undefined => {
      if (!open) return { done: true, value: undefined };
      if (notice) {
        const value = notice;
        notice = undefined;
        return { done: false, value };
      }
      const value = this.#events[cursor.position - this.#base];
      if (value) {
        cursor.position += 1;
        return { done: false, value };
      }
      if (!this.#ended) return undefined;
      close();
      if (this.#failure !== undefined) throw this.#failure;
      return { done: true, value: undefined };
    };
    return {
      next: async () => {
        if (cursor.asked !== cursor.position) {
          cursor.asked = cursor.position;
          // Trimming moves arrays: not for every single event.
          if ((cursor.position & 127) === 0 || cursor.position === this.length) this.#consumed();
        }
        for (;;) {
          const result = take();
          if (result) return result;
          await new Promise<void>((resolve) => {
            cursor.waiting = () => {
              cursor.waiting = undefined;
              resolve();
            };
          });
        }
      },
      return: async () => {
        if (open) close();
        return { done: true, value: undefined };
      },
    };
  }

  #settled(beyond: number): boolean {
    for (const cursor of this.#cursors) if (cursor.asked < beyond) return false;
    return true;
  }

  /** Somebody has moved on: drop what all have had, let the agent go on, tell who waits for it. */
  #consumed(): void {
    if (this.#cursors.size > 0) {
      let slowest = Number.POSITIVE_INFINITY;
      for (const cursor of this.#cursors) slowest = Math.min(slowest, cursor.position);
      this.#drop(slowest - this.#base);
    }
    if (this.#wasFull && !this.full) {
      this.#wasFull = false;
      this.#onDrain();
    }
    if (this.#deliveryWaiters.length > 0) {
      const due = this.#deliveryWaiters.filter((waiter) => this.#settled(waiter.beyond));
      this.#deliveryWaiters = this.#deliveryWaiters.filter((waiter) => !due.includes(waiter));
      for (const waiter of due) waiter.wake();
    }
  }

  #forgetOldest(): void {
    let count = Math.max(0, this.#events.length - RETAINED_EVENTS);
    let bytes = this.#bytes;
    for (let i = 0; i < count; i++) bytes -= this.#weights[i]!;
    while (bytes > RETAINED_BYTES / 2 && count < this.#events.length - 1) bytes -= this.#weights[count++]!;
    this.#drop(count);
  }

  #drop(count: number): void {
    if (count <= 0) return;
    for (let i = 0; i < count; i++) this.#bytes -= this.#weights[i]!;
    this.#events.splice(0, count);
    this.#weights.splice(0, count);
    this.#base += count;
  }

  #missedNotice(missed: number): AgentEvent {
    const next = this.#events[0];
    return {
      type: 'debug',
      level: 'warn',
      code: 'events_missed',
      message: `${missed} earlier events are no longer kept: this reader came too late`,
      data: { firstMissed: 0, lastMissed: missed - 1 },
      agent: next?.agent ?? '',
      runId: next?.runId ?? '',
      turnIndex: next?.turnIndex ?? 0,
      seq: missed - 1,
      timestamp: next?.timestamp ?? Date.now(),
    };
  }
}
