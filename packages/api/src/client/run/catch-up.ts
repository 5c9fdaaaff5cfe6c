import type { Session } from '../../schemas/session.ts';
import { QUIET_MS } from './command-queue.ts';

/** An attached session has a past: until it is replayed, an end in it is not final, and a question may be answered already. */
export class CatchUp {
  readonly #onQuiet: () => void;
  /** The session when it was attached; undefined if it has no past. */
  #session: Session | undefined;
  #isDone = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(onQuiet: () => void) {
    this.#onQuiet = onQuiet;
  }

  start(session: Session): void {
    this.#session = session;
  }

  isDoneAt(seq: number): boolean {
    return this.#session === undefined || this.#isDone || seq >= this.#session.lastSeq;
  }

  /** Its process ended at this seq, while the session moved to another one. */
  continuesAfter(seq: number): boolean {
    if (seq !== this.#session?.lastSeq) return false;
    const { queuedMessages, parked, isTerminated } = this.#session;
    return queuedMessages > 0 || (!parked && !isTerminated);
  }

  /** If content is not stored, the last seq may never arrive. */
  expectMore(seq: number): void {
    clearTimeout(this.#timer);
    if (this.isDoneAt(seq)) return;
    this.#timer = setTimeout(() => {
      this.#isDone = true;
      this.#onQuiet();
    }, QUIET_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
