import type { AgentEvent } from '../../contract/events.ts';

/** A reader may lag so far behind before the agent is made to wait. */
export const HIGH_WATER_EVENTS = 1024;
export const HIGH_WATER_BYTES = 8 * 1024 * 1024;
/**
 * What is kept for readers that come late, while there is none: at least so many, and up to twice as many. Older events
 * are dropped, and a late reader is told how many. Most runs are shorter; of a longer one every event that is kept while
 * nobody reads is one that the garbage collector has to copy.
 */
export const RETAINED_EVENTS = 1000;
export const RETAINED_BYTES = 16 * 1024 * 1024;
/** Lighter events are bounded by their number alone. */
const HEAVY_BYTES = 1024;
/** Dropping moves arrays: so many events are dropped at once. */
const DROP_BATCH = 256;

/** So many events are in a batch at most. */
const BATCH_EVENTS = HIGH_WATER_EVENTS;

interface Waiter<Value> {
  resolve(result: IteratorResult<Value, void>): void;
  reject(error: unknown): void;
}

/** `Value`: what a reader gets at a time, an event or a batch of them. */
interface Cursor<Value> {
  /** The next event that this reader gets, as an index into the whole run. */
  position: number;
  /** The events before this one are dealt with: the reader has asked for more since. */
  asked: number;
  /** Calls of `next` that wait for an event, oldest first. */
  waiters: Waiter<Value>[];
  /** Told first: what came before this reader and is no longer kept. */
  notice: AgentEvent | undefined;
  open: boolean;
  /** The next that it gets, if there is anything; moves its position. */
  take(): Value | undefined;
  /** It is served when all that comes at once has come. */
  readonly isPatient: boolean;
  isDue: boolean;
}

const DONE: IteratorReturnResult<void> = Object.freeze({ done: true, value: undefined });

/**
 * The events of one run, between the engine and any number of readers. With readers nothing is dropped: `full` tells the
 * engine to stop reading from the agent until the slowest one has caught up.
 */
export class EventLog {
  readonly #onDrain: () => void;
  readonly #cursors: Cursor<unknown>[] = [];
  #events: AgentEvent[] = [];
  /** Index of `#events[0]` in the whole run. */
  #base = 0;
  /** The heavy ones among the events, by their index in the whole run, and what they weigh together. */
  #heavy: { index: number; weight: number }[] = [];
  #bytes = 0;
  #newest: AgentEvent | undefined;
  #ended = false;
  #failure: unknown;
  #wasFull = false;
  #settleWaiters: { beyond: number; wake: () => void }[] = [];

  constructor(onDrain: () => void) {
    this.#onDrain = onDrain;
  }

  get length(): number {
    return this.#base + this.#events.length;
  }

  /** A reader lags too far behind. Once it has caught up, `onDrain` is called. */
  get full(): boolean {
    if (this.#cursors.length === 0) return false;
    const full = this.#events.length > HIGH_WATER_EVENTS || this.#bytes > HIGH_WATER_BYTES;
    if (full) this.#wasFull = true;
    return full;
  }

  /** `weight`: roughly the bytes of memory that it takes. */
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

  /** Nothing more comes. With a failure, readers that have had everything get it as an exception. */
  end(failure?: unknown): void {
    this.#ended = true;
    this.#failure = failure;
    for (const cursor of [...this.#cursors]) this.#serve(cursor);
    for (const { wake } of this.#settleWaiters.splice(0)) wake();
  }

  /** Resolves when every reader has dealt with the first `beyond` events, or there is no reader. */
  async settled(beyond: number): Promise<void> {
    if (this.#isSettled(beyond)) return;
    await new Promise<void>((wake) => this.#settleWaiters.push({ beyond, wake }));
  }

  /** One event after the other. */
  read(): AsyncIterator<AgentEvent, void, undefined> {
    const cursor: Cursor<AgentEvent> = this.#start(() => this.#takeOne(cursor), false);
    return this.#iterate(cursor);
  }

  /** All that there is, at a time: a promise for each chunk of the agent's output, not for each event. */
  readBatches(): AsyncIterator<AgentEvent[], void, undefined> {
    const cursor: Cursor<AgentEvent[]> = this.#start(() => this.#takeBatch(cursor), true);
    return this.#iterate(cursor);
  }

  #start<Value>(take: () => Value | undefined, isPatient: boolean): Cursor<Value> {
    const [position, asked] = [this.#base, this.#base];
    const notice = position > 0 ? this.#missedNotice() : undefined;
    const cursor: Cursor<Value> = { position, asked, notice, waiters: [], open: true, take, isPatient, isDue: false };
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
    if (cursor.asked !== cursor.position) {
      cursor.asked = cursor.position;
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

  #takeOne(cursor: Cursor<AgentEvent>): AgentEvent | undefined {
    if (cursor.notice) {
      const { notice } = cursor;
      cursor.notice = undefined;
      return notice;
    }
    const event = this.#events[cursor.position - this.#base];
    if (event) cursor.position += 1;
    return event;
  }

  #takeBatch(cursor: Cursor<AgentEvent[]>): AgentEvent[] | undefined {
    const from = cursor.position - this.#base;
    const batch = this.#events.slice(from, from + BATCH_EVENTS);
    cursor.position += batch.length;
    if (cursor.notice) {
      batch.unshift(cursor.notice);
      cursor.notice = undefined;
    }
    return batch.length > 0 ? batch : undefined;
  }

  /** An event has come for somebody who waits. */
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

  /** Gives those who wait what there is, or the end. */
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

  #isSettled(beyond: number): boolean {
    return this.#cursors.every((cursor) => cursor.asked >= beyond);
  }

  /** Somebody has moved on: drop what all have had, let the agent go on, tell who waits for it. */
  #consumed(): void {
    if (this.#cursors.length > 0) {
      let slowest = Number.POSITIVE_INFINITY;
      for (const cursor of this.#cursors) slowest = Math.min(slowest, cursor.position);
      const count = slowest - this.#base;
      // One line may have held tens of thousands of events.
      if (count >= DROP_BATCH || this.#events.length <= 4 * HIGH_WATER_EVENTS) this.#drop(count);
    }
    if (this.#wasFull && !this.full) {
      this.#wasFull = false;
      this.#onDrain();
    }
    if (this.#settleWaiters.length === 0) return;
    const due = this.#settleWaiters.filter((waiter) => this.#isSettled(waiter.beyond));
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
    let gone = 0;
    for (const { index, weight } of this.#heavy) {
      if (index >= this.#base) break;
      this.#bytes -= weight;
      gone += 1;
    }
    if (gone > 0) this.#heavy.splice(0, gone);
  }

  #missedNotice(): AgentEvent {
    const missed = this.#base;
    const next = this.#events[0] ?? this.#newest;
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
