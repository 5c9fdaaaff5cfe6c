import type { EventBody } from '../../contract/events.ts';

/** A background task that has ended often wakes its agent: so long is that waited for. */
const WAKE_MS = 3000;

/** What the agent has going on beside its turns. */
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

  /** A turn that did not come to its end leaves nothing that could be waited for. */
  forget(): void {
    this.#open = 0;
  }

  /** Milliseconds until it is worth looking again; 0: the agent will not wake by itself. */
  waitMs(): number {
    return this.running ? WAKE_MS : Math.max(0, this.#wakeUntil - performance.now());
  }
}
