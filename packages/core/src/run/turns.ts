import type { EventBody } from '../contract/events.ts';
import type { TurnInput } from '../contract/options.ts';
import { lazyModules } from '../lazy-modules.ts';
import type { RunParts } from './parts.ts';
import { asRunError } from './turns/failure.ts';
import { newTurn, type Turn } from './turns/turn.ts';

/** Time an agent has to react to an interrupt before it is killed. */
const INTERRUPT_LIMIT_MS = 10_000;

export type TurnEnd = Extract<EventBody, { type: 'turn_end' }>;

/** The turns of a run, one after another: how each starts and ends, and whether another follows. */
export class Turns {
  readonly #run: RunParts;
  readonly #queue: TurnInput[] = [];
  #current: Turn = newTurn();
  /** The caller expects no further turn. */
  #isLast = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #waiters: (() => void)[] = [];

  constructor(run: RunParts) {
    this.#run = run;
  }

  get current(): Turn {
    return this.#current;
  }

  /** Number of turns that were requested but not sent. */
  get queued(): number {
    return this.#queue.length;
  }

  get isLast(): boolean {
    return this.#isLast;
  }

  add(input: TurnInput): void {
    this.#queue.push(input);
    if (this.#run.phases.is('idle')) this.#beginNext();
  }

  /** No more turns are to come: the run ends with the current one. */
  endAfterThis(): void {
    this.#isLast = true;
    if (this.#run.phases.is('idle')) void this.#finishUnlessWanted();
  }

  begin(input: TurnInput): void {
    const { sequence, connection, ending, phases } = this.#run;
    this.#enter(input);
    sequence.beginTurn();
    // A listener of turn_start may have ended the run.
    if (phases.isEnding) return;
    try {
      connection.startTurn(input);
    } catch (error) {
      void ending.fail(error);
    }
  }

  /** The agent may have started a turn on its own; it counts like any other. */
  noticeStart(): void {
    if (this.#run.phases.is('idle', 'leaving')) this.#enter();
  }

  /** Resolves when the turn is over. */
  async interrupt(): Promise<void> {
    const { requests, ending } = this.#run;
    const ended = new Promise<void>((resolve) => this.#waiters.push(resolve));
    if (!this.#current.isInterrupting) {
      this.#current.isInterrupting = true;
      requests.cancelAll('caller');
      this.#interruptAgent();
    }
    const timer = setTimeout(() => void ending.conclude('interrupted', { kill: true }), INTERRUPT_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  }

  end(body: TurnEnd, raw?: string): void {
    const { phases, background, requests, retries, sequence } = this.#run;
    const turn = this.#current;
    if (!phases.is('turn')) return;
    const isInterrupted = turn.isInterrupting && body.status !== 'completed';
    if (isInterrupted) this.#sayInterrupted();
    else if (body.status === 'failed' && turn.failure && retries.tryAgain(turn.failure)) return;
    const checked = this.#checkStructured(isInterrupted ? { ...body, status: 'interrupted' } : body);
    const end: TurnEnd = checked.status === 'completed' && turn.lacksFile ? { ...checked, status: 'failed' } : checked;
    if (end.status !== 'completed') background.forget();
    requests.cancelAll('agent');
    const { status, structured, stopReason } = end;
    sequence.endTurn(
      status,
      { ...(structured === undefined ? {} : { structured }), ...(stopReason === undefined ? {} : { stopReason }) },
      raw,
    );
    this.leave();
  }

  /** The agent exited during a turn that was interrupted. */
  endInterrupted(): void {
    const { requests, sequence } = this.#run;
    this.#sayInterrupted();
    requests.cancelAll('agent');
    sequence.endTurn('interrupted');
  }

  /** The end of the turn was emitted; a listener may have ended the run. */
  leave(): void {
    const { watchdogs, connection, phases } = this.#run;
    if (!phases.is('turn')) return;
    watchdogs.watchTurn(false);
    this.wakeWaiters();
    if (connection.isProcessRunning) {
      // One process per turn: the next turn waits for its exit, not its last event. It must not linger forever, though.
      phases.enter('leaving');
      connection.watchExit();
    } else this.rest();
  }

  /** Nothing is running: starts the next turn, or ends the run. */
  rest(): void {
    this.#run.phases.enter('idle');
    if (this.#queue.length > 0) this.#beginNext();
    else void this.#finishUnlessWanted();
  }

  wakeWaiters(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }

  stop(): void {
    clearTimeout(this.#idleTimer);
  }

  #enter(input?: TurnInput): void {
    const { phases, watchdogs } = this.#run;
    phases.enter('turn');
    this.#current = newTurn(input);
    clearTimeout(this.#idleTimer);
    watchdogs.watchTurn(true);
  }

  #beginNext(): void {
    const { connection, phases } = this.#run;
    connection.noteLingering();
    // A listener may have ended the run.
    const input = phases.is('idle') ? this.#queue.shift() : undefined;
    if (input) this.begin(input);
  }

  /** An agent that cannot be interrupted is killed. */
  #interruptAgent(): void {
    try {
      this.#run.connection.driver?.interrupt();
    } catch (thrown) {
      this.#run.note({ type: 'error', ...asRunError(thrown), recoverable: true });
      void this.#run.ending.conclude('interrupted', { kill: true });
    }
  }

  #sayInterrupted(): void {
    if (!this.#current.interruptReported) this.#run.sequence.write({ type: 'interrupted', by: 'caller' });
    this.#current.interruptReported = true;
  }

  #checkStructured(body: TurnEnd): TurnEnd {
    const { options, sequence, fold } = this.#run;
    if (body.status !== 'completed' || !options.outputSchema) return body;
    const { value, problem } = lazyModules
      .structured()
      .validateStructured(options.outputSchema, body.structured, fold.text);
    if (!problem) return { ...body, structured: value };
    sequence.write({ type: 'error', code: 'OUTPUT_SCHEMA_ERROR', message: problem, recoverable: false });
    return { ...body, status: 'failed', structured: value };
  }

  /** Ends the run, unless a reader or listener sends another turn, or a background task may still wake the agent. */
  async #finishUnlessWanted(): Promise<void> {
    const { log, phases, options, background, watchdogs, ending, fold } = this.#run;
    const seen = log.length;
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.#isLast) await log.settled(seen);
    if (!phases.is('idle')) return;
    if (log.length !== seen) return this.#finishUnlessWanted();
    if (!this.#isLast) {
      if (options.interactive) return;
      const wait = background.waitMs();
      if (wait > 0) {
        watchdogs.watchBackground();
        clearTimeout(this.#idleTimer);
        this.#idleTimer = setTimeout(() => void this.#finishUnlessWanted(), wait);
        return;
      }
    }
    await ending.conclude(fold.reason ?? 'completed');
  }
}
