import type { SessionEvent } from '@agent-mux/api';

interface LeavingOptions {
  interrupt(): Promise<unknown>;
  leave(): void;
  say(text: string): void;
  /** Clears the line being typed; true if there was one. */
  clearLine(): boolean;
}

/** Ctrl-C interrupts a running turn; without one, or on the second press, it detaches. The session keeps running. */
export class DetachHandler {
  readonly #options: LeavingOptions;
  #inTurn = false;
  #presses = 0;

  constructor(options: LeavingOptions) {
    this.#options = options;
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTERM', options.leave);
    process.on('SIGHUP', options.leave);
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
    process.off('SIGTERM', this.#options.leave);
    process.off('SIGHUP', this.#options.leave);
  }

  readonly #onInterrupt = () => {
    const { interrupt, leave, say, clearLine } = this.#options;
    if (!this.#inTurn && clearLine()) return;
    this.#presses += 1;
    if (this.#presses > 1) return leave();
    if (!this.#inTurn) return say('Ctrl-C again or Ctrl-D detaches; the session keeps running');
    say('interrupting the turn; Ctrl-C again detaches, the session keeps running');
    interrupt().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
  };
}
