import type { RunResult } from '@agent-mux/core';
import { AgentMuxError } from '@agent-mux/core/light';
import type { Session } from '../../schemas/session.ts';

/** The end of a handle: a result, or the reason why none is known. */
export class Ending {
  readonly #result = Promise.withResolvers<RunResult>();
  readonly #opened = Promise.withResolvers<Session>();
  readonly #over = new AbortController();
  readonly #onEnd: (failure?: unknown) => void;

  /** `onEnd` is called before consumers are notified. */
  constructor(onEnd: (failure?: unknown) => void) {
    this.#onEnd = onEnd;
    // A caller that reads the events learns of a failure there.
    this.result.catch(() => {});
    this.opened.catch(() => {});
  }

  get result(): Promise<RunResult> {
    return this.#result.promise;
  }

  /** The session, once it exists. */
  get opened(): Promise<Session> {
    return this.#opened.promise;
  }

  /** Aborted when the handle has ended. */
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

  /** The result is unknown here: the session may keep running. */
  fail(error: unknown): void {
    if (this.isOver) return;
    this.#over.abort();
    this.#onEnd(error);
    this.#opened.reject(error);
    this.#result.reject(error);
  }
}
