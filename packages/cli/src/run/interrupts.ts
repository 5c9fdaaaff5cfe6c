import type { AgentEvent, RunHandle } from '@agent-mux/core';
import { isStalled, stopWaiting } from '../broken-pipe.ts';
import { EXIT } from '../exit-codes.ts';

/** Ctrl-C: the first interrupts the turn, the second aborts the run, the third exits at once. */
export class Interrupts {
  readonly #handle: RunHandle;
  readonly #canInterrupt: boolean;
  readonly #say: (text: string) => void;
  /** Handles Ctrl-C while the user is prompted for the next turn. */
  betweenTurns: (() => void) | undefined;
  #presses = 0;
  #inTurn = false;

  constructor(handle: RunHandle, canInterrupt: boolean, say: (text: string) => void) {
    this.#handle = handle;
    this.#canInterrupt = canInterrupt;
    this.#say = say;
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTERM', this.#onEnd);
    process.on('SIGHUP', this.#onEnd);
  }

  event(event: AgentEvent): void {
    if (event.type === 'turn_start') {
      this.#inTurn = true;
      this.#presses = 0;
    } else if (event.type === 'turn_end') this.#inTurn = false;
  }

  stop(): void {
    process.off('SIGINT', this.#onInterrupt);
    process.off('SIGTERM', this.#onEnd);
    process.off('SIGHUP', this.#onEnd);
  }

  readonly #onEnd = () => this.#abort('received a termination signal');

  /** Stops waiting for answers and for slow readers. */
  #abort(reason: string): void {
    stopWaiting();
    void this.#handle.abort(reason).catch(() => {});
  }

  readonly #onInterrupt = () => {
    if (!this.#inTurn && this.betweenTurns) {
      this.betweenTurns();
      return;
    }
    this.#presses += 1;
    if (this.#presses > 2) process.exit(EXIT.aborted);
    // Without a terminal, the user would not see the interrupted turn end.
    if (this.#presses === 1 && this.#inTurn && this.#canInterrupt && !isStalled()) {
      this.#say('interrupting the turn; Ctrl-C again aborts the run');
      this.#handle.interrupt().catch(() => this.#onEnd());
      return;
    }
    this.#say('aborting');
    this.#abort('aborted by Ctrl-C');
  };
}
