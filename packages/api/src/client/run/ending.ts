import type { RunResult } from '@agent-mux/core';
import { AgentMuxError } from '@agent-mux/core/light';
import type { Session } from '../../schemas/session.ts';

/** A handle ends once, with a result or with the reason why none is known here. */
export class Ending {
  readonly #result = Promise.withResolvers<RunResult>();
  readonly #opened = Promise.withResolvers<Session>();
  readonly #over = new AbortController();
  readonly #onEnd: (failure?: unknown) => void;

  /** `onEnd` is called before anybody hears of it. */
  constructor(onEnd: (failure?: unknown) => void) {
    this.#onEnd = onEnd;
    // A caller that reads the events learns of a failure there.
    this.result.catch(() => {});
    this.opened.catch(() => {});
  }

  get result(): Promise<RunResult> {
    return this.#result.promise;
  }

  /** The session, once the daemon has it. */
  get opened(): Promise<Session> {
    return this.#opened.promise;
  }

  /** Aborted when nothing is waited for any longer. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  open(session: Session): void {
    this.#opened.resolve(session);
  }

  finish(result: RunResult): void {
    if (this.isOver) return;
    this.#over.abort();
    this.#onEnd();
    this.#opened.reject(new AgentMuxError('ABORTED', 'the run ended before there was a session'));
    this.#result.resolve(result);
  }

  /** What came of it is not known here: the session may go on. */
  fail(error: unknown): void {
    if (this.isOver) return;
    this.#over.abort();
    this.#onEnd(error);
    this.#opened.reject(error);
    this.#result.reject(error);
  }
}
