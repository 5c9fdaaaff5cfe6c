import type { AgentEvent } from '@agent-mux/core';
import { BackgroundWork } from '@agent-mux/core/light';

/** Of a `debug` event: a message that was accepted did not reach the agent, and no turn begins with it. */
const NOT_DELIVERED = 'message_not_delivered';

/** Where the session is: in a turn, between two, or with messages of this handle still to come to theirs. */
export class Turns {
  readonly #background = new BackgroundWork();
  /** Messages of this handle that have not come to their turn. */
  readonly #waiting = new Set<string>();
  #waiters: (() => void)[] = [];
  #isRunning = true;
  /** The message with which a turn begins that has not begun. */
  #beginsWith: string | undefined;

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Nothing runs, and nothing that was sent from here is on its way. */
  get isIdle(): boolean {
    return !this.#isRunning && this.#waiting.size === 0;
  }

  /** Milliseconds for which the agent may still wake by itself. */
  get wakeMs(): number {
    return this.#background.waitMs();
  }

  startWith(isRunning: boolean): void {
    this.#isRunning = isRunning;
  }

  expect(messageId: string): void {
    this.#waiting.add(messageId);
  }

  /** It will not come to a turn. */
  giveUp(messageId: string): void {
    this.#waiting.delete(messageId);
  }

  /** The keeper has it; its turn begins, or it went into the one that runs. */
  accept(messageId: string, delivery: 'turn' | 'steer'): void {
    this.#waiting.delete(messageId);
    if (delivery !== 'turn') return;
    this.#isRunning = true;
    this.#beginsWith = messageId;
  }

  take(event: AgentEvent): void {
    if (event.type === 'turn_start') {
      this.#isRunning = true;
      this.#beginsWith = undefined;
    }
    if (event.type === 'debug' && event.code === NOT_DELIVERED) this.#refuse(event.data?.messageId);
    this.#background.take(event, this.#isRunning);
    if (event.type !== 'turn_end') return;
    this.#isRunning = false;
    if (event.status !== 'completed') this.#background.forget();
  }

  /** It is still on its way to a turn. */
  isExpected(messageId: string): boolean {
    return this.#waiting.has(messageId);
  }

  /** The process is gone, and whatever ran in it. */
  endAll(): void {
    this.#isRunning = false;
    this.#background.forget();
    this.wake();
  }

  /** Resolves when the turn, or the run, has ended. */
  ended(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #refuse(messageId: unknown): void {
    if (messageId === undefined || messageId !== this.#beginsWith) return;
    this.#beginsWith = undefined;
    this.#isRunning = false;
  }
}
