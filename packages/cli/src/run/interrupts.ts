import type { AgentEvent, RunHandle } from '@agent-mux/core';
import { isStalled, tellToEnd } from '../broken-pipe.ts';
import { EXIT } from '../exit-codes.ts';

/** Ctrl-C once interrupts the turn, twice aborts the run, three times does not wait for that. */
export class Interrupts {
  readonly #handle: RunHandle;
  readonly #canInterrupt: boolean;
  readonly #say: (text: string) => void;
  /** What Ctrl-C does while a person is asked for the next turn. */
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

  readonly #onEnd = () => this.#abort('amux was told to end');

  /** Nobody is waited for any more: neither for an answer nor for one who reads what is written. */
  #abort(reason: string): void {
    tellToEnd();
    void this.#handle.abort(reason).catch(() => {});
  }

  readonly #onInterrupt = () => {
    if (!this.#inTurn && this.betweenTurns) {
      this.betweenTurns();
      return;
    }
    this.#presses += 1;
    if (this.#presses > 2) process.exit(EXIT.aborted);
    // Where nobody reads, the end of an interrupted turn would not be seen.
    if (this.#presses === 1 && this.#inTurn && this.#canInterrupt && !isStalled()) {
      this.#say('interrupting the turn; Ctrl-C again aborts the run');
      this.#handle.interrupt().catch(() => this.#onEnd());
      return;
    }
    this.#say('aborting');
    this.#abort('aborted by Ctrl-C');
  };
}
