import { AgentMuxError } from '../contract/errors.ts';

/**
 * `opening`: on the way to the agent. `turn`: it works. `leaving`: the turn has ended, its process has not. `idle`:
 * between two turns. `backoff`: before a turn is tried again. `closing`: the run ends, whatever the agent still says.
 * `over`: it has.
 */
export type Phase = 'opening' | 'turn' | 'leaving' | 'idle' | 'backoff' | 'closing' | 'over';

/** What may follow what. A run that could not begin is over without closing: it has nothing to tell. */
export const NEXT_PHASES: Readonly<Record<Phase, readonly Phase[]>> = {
  opening: ['turn', 'closing', 'over'],
  turn: ['leaving', 'idle', 'backoff', 'closing', 'over'],
  leaving: ['turn', 'idle', 'closing'],
  idle: ['turn', 'closing'],
  backoff: ['opening', 'closing'],
  closing: ['over'],
  over: [],
};

/** Where a run is. It takes no step that is not in the table. */
export class Phases {
  #now: Phase = 'opening';

  get now(): Phase {
    return this.#now;
  }

  get isEnding(): boolean {
    // Asked for every event.
    return this.#now === 'closing' || this.#now === 'over';
  }

  is(...phases: Phase[]): boolean {
    return phases.includes(this.#now);
  }

  enter(next: Phase): void {
    if (!NEXT_PHASES[this.#now].includes(next))
      throw new AgentMuxError('INTERNAL_ERROR', `a run cannot go from "${this.#now}" to "${next}"`);
    this.#now = next;
  }
}
