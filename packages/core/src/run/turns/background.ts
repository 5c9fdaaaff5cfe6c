import type { EventBody } from '../../contract/events.ts';

/** How long to wait for an agent to wake after a background task has ended. */
const WAKE_MS = 3000;

/** Background work of the agent between its turns. */
export class BackgroundWork {
  #open = 0;
  #wakeUntil = 0;

  get running(): boolean {
    return this.#open > 0;
  }

  take(body: EventBody, inTurn: boolean): void {
    if (body.type === 'subagent_start') this.#open += 1;
    else if (body.type === 'subagent_end') {
      this.#open = Math.max(0, this.#open - 1);
      if (!inTurn) this.#wakeUntil = performance.now() + WAKE_MS;
    }
  }

  /** A turn that did not complete leaves no work to wait for. */
  forget(): void {
    this.#open = 0;
  }

  /** Milliseconds until the next check; 0 if the agent will not wake on its own. */
  waitMs(): number {
    return this.running ? WAKE_MS : Math.max(0, this.#wakeUntil - performance.now());
  }
}
