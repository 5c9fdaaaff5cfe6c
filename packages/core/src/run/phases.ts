import { AgentMuxError } from '../contract/errors.ts';

/**
 * `opening`: connecting to the agent. `turn`: the agent is working. `leaving`: the turn has ended, its process has not.
 * `idle`: between two turns. `backoff`: before a retry. `closing`: the run is ending, whatever the agent still reports.
 * `over`: the run has ended.
 */
export type Phase = 'opening' | 'turn' | 'leaving' | 'idle' | 'backoff' | 'closing' | 'over';

/** Allowed transitions. A run that could not start is over without closing: it has nothing to report. */
export const NEXT_PHASES: Readonly<Record<Phase, readonly Phase[]>> = {
  opening: ['turn', 'closing', 'over'],
  turn: ['leaving', 'idle', 'backoff', 'closing', 'over'],
  leaving: ['turn', 'idle', 'closing'],
  idle: ['turn', 'closing'],
  backoff: ['opening', 'closing'],
  closing: ['over'],
  over: [],
};

/** The phase of a run. It allows only transitions in the table. */
export class Phases {
  #now: Phase = 'opening';

  get now(): Phase {
    return this.#now;
  }

  get isEnding(): boolean {
    // Called for every event.
    return this.#now === 'closing' || this.#now === 'over';
  }

  is(...phases: Phase[]): boolean {
    return phases.includes(this.#now);
  }

  enter(next: Phase): void {
    if (!NEXT_PHASES[this.#now].includes(next))
      throw new AgentMuxError('INTERNAL_ERROR', `invalid phase transition from "${this.#now}" to "${next}"`);
    this.#now = next;
  }
}
