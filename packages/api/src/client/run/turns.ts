import type { AgentEvent } from '@agent-mux/core';
import { BackgroundWork } from '@agent-mux/core/light';

/** Code of a `debug` event: an accepted message did not reach the agent and starts no turn. */
const NOT_DELIVERED = 'message_not_delivered';

/** Turn state of the session: in a turn, between two, or with messages of this handle still pending. */
export class Turns {
  readonly #background = new BackgroundWork();
  /** Messages of this handle whose turn has not started. */
  readonly #waiting = new Set<string>();
  #waiters: (() => void)[] = [];
  #isRunning = true;
  /** The message of the next turn. */
  #nextMessage: string | undefined;

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Nothing runs and no message of this handle is pending. */
  get isIdle(): boolean {
    return !this.#isRunning && this.#waiting.size === 0;
  }

  /** Milliseconds during which the agent may still wake up on its own. */
  get wakeMs(): number {
    return this.#background.waitMs();
  }

  startWith(isRunning: boolean): void {
    this.#isRunning = isRunning;
  }

  expect(messageId: string): void {
    this.#waiting.add(messageId);
  }

  /** The message will not get a turn. */
  giveUp(messageId: string): void {
    this.#waiting.delete(messageId);
  }

  /** The keeper has the message; its turn starts, or it went into the running one. */
  accept(messageId: string, delivery: 'turn' | 'steer'): void {
    this.#waiting.delete(messageId);
    if (delivery !== 'turn') return;
    this.#isRunning = true;
    this.#nextMessage = messageId;
  }

  take(event: AgentEvent): void {
    if (event.type === 'turn_start') {
      this.#isRunning = true;
      this.#nextMessage = undefined;
    }
    if (event.type === 'debug' && event.code === NOT_DELIVERED) this.#refuse(event.data?.messageId);
    this.#background.take(event, this.#isRunning);
    if (event.type !== 'turn_end') return;
    this.#isRunning = false;
    if (event.status !== 'completed') this.#background.forget();
  }

  /** Whether the message is still pending. */
  isExpected(messageId: string): boolean {
    return this.#waiting.has(messageId);
  }

  /** The process is gone, and its turn with it. */
  endAll(): void {
    this.#isRunning = false;
    this.#background.forget();
    this.wake();
  }

  /** Resolves when the turn or the run has ended. */
  ended(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #refuse(messageId: unknown): void {
    if (messageId === undefined || messageId !== this.#nextMessage) return;
    this.#nextMessage = undefined;
    this.#isRunning = false;
  }
}
