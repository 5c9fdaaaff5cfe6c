import type { EventBody } from '../contract/events.ts';
import type { TurnInput } from '../contract/options.ts';
import { onDemand } from '../on-demand.ts';
import type { RunParts } from './parts.ts';
import { asRunError } from './turns/failure.ts';
import { newTurn, type Turn } from './turns/turn.ts';

/** An agent that does not react to an interrupt is ended after so long. */
const INTERRUPT_LIMIT_MS = 10_000;

export type TurnEnd = Extract<EventBody, { type: 'turn_end' }>;

/** The turns of a run, one after the other: how each begins and ends, and whether another follows. */
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

  /** So many were asked for and not sent. */
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

  /** No more are to come: the run ends with the one under way. */
  endAfterThis(): void {
    this.#isLast = true;
    if (this.#run.phases.is('idle')) void this.#finishUnlessWanted();
  }

  begin(input: TurnInput): void {
    const { sequence, connection, ending, phases } = this.#run;
    this.#enter(input);
    sequence.beginTurn();
    // Whoever heard of the turn may have ended the run.
    if (phases.isEnding) return;
    try {
      connection.startTurn(input);
    } catch (error) {
      void ending.fail(error);
    }
  }

  /** The agent may have woken by itself: a turn like any other. */
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

  /** The agent has left in the middle of a turn that it was told to end. */
  endInterrupted(): void {
    const { requests, sequence } = this.#run;
    this.#sayInterrupted();
    requests.cancelAll('agent');
    sequence.endTurn('interrupted');
  }

  /** The turn has been told as ended; whoever heard of it may have ended the run. */
  leave(): void {
    const { watchdogs, connection, phases } = this.#run;
    if (!phases.is('turn')) return;
    watchdogs.watchTurn(false);
    this.wakeWaiters();
    if (connection.isProcessRunning) {
      // A process per turn: its end, not its last word, frees the way. It must not stay for ever, though.
      phases.enter('leaving');
      connection.watchExit();
    } else this.rest();
  }

  /** Nothing runs: the next turn, or the end. */
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
    // Whoever heard of it may have ended the run.
    const input = phases.is('idle') ? this.#queue.shift() : undefined;
    if (input) this.begin(input);
  }

  /** An agent that cannot even be told to stop is ended. */
  #interruptAgent(): void {
    try {
      this.#run.connection.driver?.interrupt();
    } catch (thrown) {
      this.#run.note({ type: 'error', ...asRunError(thrown), recoverable: true });
      void this.#run.ending.conclude('interrupted', { kill: true });
    }
  }

  #sayInterrupted(): void {
    if (!this.#current.saidInterrupted) this.#run.sequence.write({ type: 'interrupted', by: 'caller' });
    this.#current.saidInterrupted = true;
  }

  #checkStructured(body: TurnEnd): TurnEnd {
    const { options, sequence, fold } = this.#run;
    if (body.status !== 'completed' || !options.outputSchema) return body;
    const { value, problem } = onDemand
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
