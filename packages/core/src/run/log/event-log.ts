import type { AgentEvent } from '../../contract/events.ts';

/** How far a reader may lag before the agent has to wait. */
export const HIGH_WATER_EVENTS = 1024;
export const HIGH_WATER_BYTES = 8 * 1024 * 1024;
/**
 * Events retained for late readers without readers: at least this many, at most twice as many. Older events are
 * dropped, and a late reader learns how many. Most runs are shorter; in longer ones the garbage collector has to copy
 * every retained event.
 */
export const RETAINED_EVENTS = 1000;
export const RETAINED_BYTES = 16 * 1024 * 1024;
/** Lighter events are bounded by their number only. */
const HEAVY_BYTES = 1024;
/** Dropping moves arrays, so this many events are dropped at once. */
const DROP_BATCH = 256;

/** Maximum number of events in a batch. */
const BATCH_EVENTS = HIGH_WATER_EVENTS;

interface Waiter<Value> {
  resolve(result: IteratorResult<Value, void>): void;
  reject(error: unknown): void;
}

/** `Value`: what a reader gets per call, an event or a batch. */
interface Cursor<Value> {
  /** Index in the whole run of the next event for this reader. */
  position: number;
  /** Index of the first event that is not processed yet: the reader has requested more after the earlier ones. */
  processed: number;
  /** Pending calls of `next`, oldest first. */
  waiters: Waiter<Value>[];
  /** Delivered first: reports the events before this reader that are no longer retained. */
  notice: AgentEvent | undefined;
  open: boolean;
  /** Returns the next value, if there is one, and advances the position. */
  take(): Value | undefined;
  /** It is served when a whole chunk has arrived. */
  readonly isPatient: boolean;
  isDue: boolean;
}

const DONE: IteratorReturnResult<void> = Object.freeze({ done: true, value: undefined });

/**
 * The events of one run, between the engine and any number of readers. With readers, no event is dropped: `full` makes
 * the engine stop reading from the agent until the slowest reader has caught up.
 */
export class EventLog {
  readonly #onDrain: () => void;
  readonly #cursors: Cursor<unknown>[] = [];
  #events: AgentEvent[] = [];
  /** Index of `#events[0]` in the whole run. */
  #base = 0;
  /** Heavy events by their index in the whole run, and their total size. */
  #heavy: { index: number; weight: number }[] = [];
  #bytes = 0;
  #newest: AgentEvent | undefined;
  #ended = false;
  #failure: unknown;
  #wasFull = false;
  #settleWaiters: { count: number; wake: () => void }[] = [];

  constructor(onDrain: () => void) {
    this.#onDrain = onDrain;
  }

  get length(): number {
    return this.#base + this.#events.length;
  }

  /** True if a reader lags too far; `onDrain` is called once it has caught up. */
  get full(): boolean {
    if (this.#cursors.length === 0) return false;
    const full = this.#events.length > HIGH_WATER_EVENTS || this.#bytes > HIGH_WATER_BYTES;
    if (full) this.#wasFull = true;
    return full;
  }

  /** `weight`: approximate size in bytes. */
  push(event: AgentEvent, weight: number): void {
    if (weight > HEAVY_BYTES) {
      this.#heavy.push({ index: this.length, weight });
      this.#bytes += weight;
    }
    this.#events.push(event);
    this.#newest = event;
    if (this.#cursors.length === 0) {
      if (this.#events.length > RETAINED_EVENTS * 2 || this.#bytes > RETAINED_BYTES) this.#forgetOldest();
      return;
    }
    for (const cursor of this.#cursors) if (cursor.waiters.length > 0) this.#wake(cursor);
  }

  /** Ends the log. With a failure, readers get it as an exception after the last event. */
  end(failure?: unknown): void {
    this.#ended = true;
    this.#failure = failure;
    for (const cursor of [...this.#cursors]) this.#serve(cursor);
    for (const { wake } of this.#settleWaiters.splice(0)) wake();
  }

  /** Resolves when every reader has processed the first `count` events, or has left. */
  async settled(count: number): Promise<void> {
    if (this.#isSettled(count)) return;
    await new Promise<void>((wake) => this.#settleWaiters.push({ count, wake }));
  }

  /** Reads one event at a time. */
  read(): AsyncIterator<AgentEvent, void, undefined> {
    const cursor: Cursor<AgentEvent> = this.#start(() => this.#nextOne(cursor), false);
    return this.#iterate(cursor);
  }

  /** Reads all available events at a time: one promise per chunk of the agent's output, not per event. */
  readBatches(): AsyncIterator<AgentEvent[], void, undefined> {
    const cursor: Cursor<AgentEvent[]> = this.#start(() => this.#nextBatch(cursor), true);
    return this.#iterate(cursor);
  }

  #start<Value>(take: () => Value | undefined, isPatient: boolean): Cursor<Value> {
    const [position, processed] = [this.#base, this.#base];
    const notice = position > 0 ? this.#missedNotice() : undefined;
    const cursor: Cursor<Value> = {
      position,
      processed,
      notice,
      waiters: [],
      open: true,
      take,
      isPatient,
      isDue: false,
    };
    this.#cursors.push(cursor);
    return cursor;
  }

  #iterate<Value>(cursor: Cursor<Value>): AsyncIterator<Value, void, undefined> {
    return {
      next: () => this.#next(cursor),
      return: () => {
        this.#close(cursor);
        return Promise.resolve(DONE);
      },
    };
  }

  #next<Value>(cursor: Cursor<Value>): Promise<IteratorResult<Value, void>> {
    if (cursor.processed !== cursor.position) {
      cursor.processed = cursor.position;
      const due = cursor.position - this.#base >= DROP_BATCH;
      if (due || this.#wasFull || this.#settleWaiters.length > 0) this.#consumed();
    }
    if (cursor.waiters.length === 0) {
      const value = cursor.open ? cursor.take() : undefined;
      if (value) return Promise.resolve({ done: false, value });
      if (!cursor.open) return Promise.resolve(DONE);
    }
    return new Promise((resolve, reject) => {
      cursor.waiters.push({ resolve, reject });
      if (this.#ended) this.#serve(cursor);
    });
  }

  #nextOne(cursor: Cursor<AgentEvent>): AgentEvent | undefined {
    if (cursor.notice) {
      const { notice } = cursor;
      cursor.notice = undefined;
      return notice;
    }
    const event = this.#events[cursor.position - this.#base];
    if (event) cursor.position += 1;
    return event;
  }

  #nextBatch(cursor: Cursor<AgentEvent[]>): AgentEvent[] | undefined {
    const from = cursor.position - this.#base;
    const batch = this.#events.slice(from, from + BATCH_EVENTS);
    cursor.position += batch.length;
    if (cursor.notice) {
      batch.unshift(cursor.notice);
      cursor.notice = undefined;
    }
    return batch.length > 0 ? batch : undefined;
  }

  /** Wakes a reader with pending calls for a new event. */
  #wake(cursor: Cursor<unknown>): void {
    if (!cursor.isPatient) this.#serve(cursor);
    else if (!cursor.isDue) {
      cursor.isDue = true;
      queueMicrotask(() => {
        cursor.isDue = false;
        this.#serve(cursor);
      });
    }
  }

  /** Resolves pending calls with the available events, or the end. */
  #serve<Value>(cursor: Cursor<Value>): void {
    while (cursor.waiters.length > 0) {
      const value = cursor.open ? cursor.take() : undefined;
      if (value) cursor.waiters.shift()!.resolve({ done: false, value });
      else if (this.#ended && this.#failure !== undefined && cursor.open) {
        const waiter = cursor.waiters.shift()!;
        this.#close(cursor);
        waiter.reject(this.#failure);
      } else if (this.#ended) this.#close(cursor);
      else return;
    }
  }

  #close<Value>(cursor: Cursor<Value>): void {
    if (!cursor.open) return;
    cursor.open = false;
    this.#cursors.splice(this.#cursors.indexOf(cursor), 1);
    for (const { resolve } of cursor.waiters.splice(0)) resolve(DONE);
    this.#consumed();
  }

  #isSettled(count: number): boolean {
    return this.#cursors.every((cursor) => cursor.processed >= count);
  }

  /** A reader has advanced: drops events that all have read, unblocks the agent and wakes `settled`. */
  #consumed(): void {
    if (this.#cursors.length > 0) {
      let slowest = Number.POSITIVE_INFINITY;
      for (const cursor of this.#cursors) slowest = Math.min(slowest, cursor.position);
      const count = slowest - this.#base;
      // One line may have contained tens of thousands of events.
      if (count >= DROP_BATCH || this.#events.length <= 4 * HIGH_WATER_EVENTS) this.#drop(count);
    }
    if (this.#wasFull && !this.full) {
      this.#wasFull = false;
      this.#onDrain();
    }
    if (this.#settleWaiters.length === 0) return;
    const due = this.#settleWaiters.filter((waiter) => this.#isSettled(waiter.count));
    this.#settleWaiters = this.#settleWaiters.filter((waiter) => !due.includes(waiter));
    for (const { wake } of due) wake();
  }

  #forgetOldest(): void {
    let count = Math.max(0, this.#events.length - RETAINED_EVENTS);
    let bytes = this.#bytes;
    for (const { index, weight } of this.#heavy) {
      const before = index - this.#base < count;
      if (!before && bytes <= RETAINED_BYTES / 2) break;
      bytes -= weight;
      count = Math.max(count, index - this.#base + 1);
    }
    this.#drop(Math.min(count, this.#events.length - 1));
  }

  #drop(count: number): void {
    if (count <= 0) return;
    if (count === this.#events.length) this.#events = [];
    else this.#events.splice(0, count);
    this.#base += count;
    let dropped = 0;
    for (const { index, weight } of this.#heavy) {
      if (index >= this.#base) break;
      this.#bytes -= weight;
      dropped += 1;
    }
    if (dropped > 0) this.#heavy.splice(0, dropped);
  }

  #missedNotice(): AgentEvent {
    const missed = this.#base;
    const next = this.#events[0] ?? this.#newest;
    return {
      type: 'debug',
      level: 'warn',
      code: 'events_missed',
      message: `${missed} earlier events are no longer retained: this reader attached too late`,
      data: { firstMissed: 0, lastMissed: missed - 1 },
      agent: next?.agent ?? '',
      runId: next?.runId ?? '',
      turnIndex: next?.turnIndex ?? 0,
      seq: missed - 1,
      timestamp: next?.timestamp ?? Date.now(),
    };
  }
}
