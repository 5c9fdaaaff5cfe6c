import type { Session } from '../../schemas/session.ts';
import { QUIET_MS } from './orders.ts';

/** A session that was taken up has a past: until that is told, an end in it is none, and a question may be answered. */
export class CatchUp {
  readonly #onQuiet: () => void;
  /** As the session was when it was taken up; undefined: it has no past. */
  #session: Session | undefined;
  #isDone = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(onQuiet: () => void) {
    this.#onQuiet = onQuiet;
  }

  begin(session: Session): void {
    this.#session = session;
  }

  isDoneAt(seq: number): boolean {
    return this.#session === undefined || this.#isDone || seq >= this.#session.lastSeq;
  }

  /** Its process had ended at this seq, and the session was on its way into another one. */
  isToGoOn(seq: number): boolean {
    if (seq !== this.#session?.lastSeq) return false;
    const { queuedMessages, parked, isTerminated } = this.#session;
    return queuedMessages > 0 || (!parked && !isTerminated);
  }

  /** Where not everything is stored, the last number may be one that never comes. */
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
