import type { AgentEvent, RunHandle } from '@agent-mux/core';
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

  readonly #onEnd = () => void this.#handle.abort('amux was told to end').catch(() => {});

  readonly #onInterrupt = () => {
    this.#presses += 1;
    if (this.#presses > 2) process.exit(EXIT.aborted);
    if (this.#presses === 1 && this.#inTurn && this.#canInterrupt) {
      this.#say('interrupting the turn; Ctrl-C again aborts the run');
      this.#handle.interrupt().catch(() => this.#onEnd());
      return;
    }
    if (this.#presses === 1 && !this.#inTurn && this.betweenTurns) {
      this.betweenTurns();
      return;
    }
    this.#say('aborting');
    void this.#handle.abort('aborted by Ctrl-C').catch(() => {});
  };
}
