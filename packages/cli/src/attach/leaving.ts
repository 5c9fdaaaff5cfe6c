import type { SessionEvent } from '@agent-mux/api';

interface Given {
  interrupt(): Promise<unknown>;
  leave(): void;
  say(text: string): void;
  /** True: there was a line, and it is cleared. */
  clearLine(): boolean;
}

/** Ctrl-C interrupts the turn that runs; where none does, or again, it leaves. The session stays in any case. */
export class Leaving {
  readonly #given: Given;
  #inTurn = false;
  #presses = 0;

  constructor(given: Given) {
    this.#given = given;
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTERM', given.leave);
    process.on('SIGHUP', given.leave);
  }

  get inTurn(): boolean {
    return this.#inTurn;
  }

  event({ type }: SessionEvent): void {
    if (type === 'turn_start') {
      this.#inTurn = true;
      this.#presses = 0;
    } else if (type === 'turn_end' || type === 'run_result' || type === 'keeper_lost') {
      this.#inTurn = false;
      this.#presses = 0;
    }
  }

  stop(): void {
    process.off('SIGINT', this.#onInterrupt);
    process.off('SIGTERM', this.#given.leave);
    process.off('SIGHUP', this.#given.leave);
  }

  readonly #onInterrupt = () => {
    const { interrupt, leave, say, clearLine } = this.#given;
    if (!this.#inTurn && clearLine()) return;
    this.#presses += 1;
    if (this.#presses > 1) return leave();
    if (!this.#inTurn) return say('Ctrl-C again or Ctrl-D leaves; the session stays');
    say('interrupting the turn; Ctrl-C again leaves, the session stays');
    interrupt().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
  };
}
