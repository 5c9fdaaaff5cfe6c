import type { EventBody } from '../contract/events.ts';
import type { TurnInput } from '../contract/options.ts';
import type { AgentEnd } from './channels/channel.ts';
import type { Driver, DriverSink } from './drivers/driver.ts';
import type { RunParts } from './parts.ts';
import { asRunError, crashOf, endCodeOf, timeoutOf } from './turns/failure.ts';

/** Time a process has to exit after its last event. */
const EXIT_GRACE_MS = 5000;
/** The same for agents that are known to linger (AgentMode.turnEndIsFinal). */
const LINGERING_GRACE_MS = 250;

/** The connection of a run to its agent: opened, replaced on retry, closed at the end. */
export class Connection {
  readonly #run: RunParts;
  readonly #openDriver: (sink: DriverSink) => Promise<Driver>;
  #driver: Driver | undefined;
  /** Counts connections; events of an older one are ignored. */
  #generation = 0;
  /** Set while a connection is opened or closed: the run does not end before. */
  #transition: Promise<unknown> = Promise.resolve();
  #isProcessRunning = false;
  /** A pooled process was exiting when this run joined it and was replaced; happens at most once. */
  #isReplaced = false;
  /** Set to the limit that the last process exceeded before it exited. */
  #lingered: number | undefined;
  #exitCode: number | null = null;
  #exitTimer: NodeJS.Timeout | undefined;

  constructor(run: RunParts, openDriver: (sink: DriverSink) => Promise<Driver>) {
    this.#run = run;
    this.#openDriver = openDriver;
  }

  get driver(): Driver | undefined {
    return this.#driver;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Exit code of the last process that has ended. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  get turnEndsWithProcess(): boolean {
    return this.#driver?.turnEndsWithProcess === true;
  }

  get isHandshaking(): boolean {
    return this.#driver?.handshaking === true;
  }

  get isProcessRunning(): boolean {
    return this.#isProcessRunning;
  }

  /** Resolves when the first turn was sent or never will be. */
  open(input: TurnInput): Promise<unknown> {
    const { turns, phases, ending } = this.#run;
    const generation = ++this.#generation;
    this.#transition = this.#openDriver(this.#listen(generation)).then(
      (driver) => {
        if (generation !== this.#generation || phases.isEnding) return driver.kill();
        this.#driver = driver;
        turns.begin(input);
      },
      (error) => void ending.fail(error),
    );
    return this.#transition;
  }

  startTurn(input: TurnInput): void {
    this.#isProcessRunning = this.turnEndsWithProcess;
    this.#driver?.startTurn(input);
  }

  /** A reader stalls: stops reading, so that the agent blocks in its writes. */
  pause(): void {
    this.#driver?.pause();
    this.#run.watchdogs.notePause(true);
  }

  resume(): void {
    this.#run.watchdogs.notePause(false);
    this.#driver?.resume();
  }

  /** Drops this attempt: its further events are ignored. */
  giveUp(): Promise<unknown> {
    this.#generation += 1;
    const old = this.#driver;
    this.#driver = undefined;
    this.#transition = old?.kill() ?? Promise.resolve();
    return this.#transition;
  }

  /** Closes the connection. The run ends even if this fails. */
  async close(kill: boolean): Promise<void> {
    const { mode } = this.#run;
    try {
      await this.#transition;
      const driver = this.#driver;
      if (kill) await driver?.kill();
      else {
        // A stalled reader must not keep the agent from exiting.
        driver?.resume();
        const grace = mode.turnEndIsFinal ? LINGERING_GRACE_MS : EXIT_GRACE_MS;
        const left = (await driver?.finish(grace)) ?? true;
        if (!left && !mode.turnEndIsFinal) this.#lingered = grace;
      }
    } catch (thrown) {
      this.#run.note({ type: 'error', ...asRunError(thrown), recoverable: true });
    }
  }

  /** Ends the process of a completed turn if it does not exit in time. */
  watchExit(): void {
    const { background, watchdogs, mode, log, phases } = this.#run;
    this.stopWatchingExit();
    if (background.running) {
      watchdogs.watchBackground();
      return;
    }
    const final = mode.turnEndIsFinal === true;
    const limit = final ? LINGERING_GRACE_MS : EXIT_GRACE_MS;
    const seen = log.length;
    this.#exitTimer = setTimeout(() => {
      if (!phases.is('leaving')) return;
      // The agent is still active (a background task ended), not hung.
      if (!final && log.length !== seen) return this.watchExit();
      if (!final) this.#lingered = limit;
      void this.#driver?.kill();
    }, limit);
  }

  stopWatchingExit(): void {
    clearTimeout(this.#exitTimer);
  }

  /** Reports between two turns that the last process had to be killed. */
  noteLingering(): void {
    const timeout = this.takeLingering();
    if (timeout) this.#run.note({ type: 'debug', level: 'warn', code: 'process_lingered', message: timeout.message });
  }

  takeLingering(): Extract<EventBody, { type: 'timeout' }> | undefined {
    const limit = this.#lingered;
    this.#lingered = undefined;
    return limit === undefined ? undefined : timeoutOf(this.#run.adapter.displayName, 'exit', limit);
  }

  #listen(generation: number): DriverSink {
    const { processor, watchdogs, ending } = this.#run;
    // Called from streams and timers, where an exception would be uncaught.
    const guard = (handle: () => void) => {
      if (generation !== this.#generation) return;
      try {
        handle();
      } catch (error) {
        void ending.fail(error);
      }
    };
    return {
      events: (bodies, raw, bytes) => guard(() => processor.receive(bodies, raw, bytes)),
      alive: () => watchdogs.noteSign(),
      ended: (end) => guard(() => this.#close(end)),
      failed: (error) => guard(() => void ending.fail(error)),
    };
  }

  #close(end: AgentEnd): void {
    const { watchdogs, processor, phases, turns, options, ending, fold } = this.#run;
    this.stopWatchingExit();
    if (end.stale && this.#replace()) return;
    watchdogs.forgetLaunch();
    this.#exitCode = end.exit.code;
    // An exit is a crash only during a turn; all other events of the adapter are reported.
    const events = (end.adapterEvents ?? []).filter(({ type }) => type !== 'crash');
    if (events.length > 0) processor.receive(events, undefined, 0);
    this.#isProcessRunning = false;
    if (phases.is('turn')) this.#endTurn(end);
    else if (phases.is('leaving')) {
      watchdogs.watchTurn(false);
      turns.rest();
    }
    // The agent exited between two turns. While more turns are expected, a nonzero exit code is a crash.
    else if (phases.is('idle')) {
      if (options.interactive && !turns.isLast && end.exit.code !== 0) ending.crash(end);
      else void ending.conclude(fold.reason ?? 'completed');
    }
  }

  /** Replaces a process that exited before showing anything. This is not a retry, so no retry policy applies. */
  #replace(): boolean {
    const { adapter, phases, turns, retries } = this.#run;
    const { isProductive, isInterrupting } = turns.current;
    if (this.#isReplaced || isProductive || isInterrupting || !phases.is('turn')) return false;
    this.#isReplaced = true;
    const message = `the pooled process of ${adapter.displayName} was exiting; started a new one`;
    this.#run.note({ type: 'debug', level: 'info', code: 'process_replaced', message });
    void retries.startOver(0);
    return true;
  }

  /** Handles the end of the process during a turn. */
  #endTurn(end: AgentEnd): void {
    const { fold, turns, ending, retries, mode } = this.#run;
    const isOneshot = this.turnEndsWithProcess;
    const isClean = !end.exit.spawnError && end.exit.code === 0;
    const { error } = fold;
    const failure =
      turns.current.failure ?? (error ? { type: 'error' as const, ...error, recoverable: false } : undefined);
    if (turns.current.isInterrupting) {
      turns.endInterrupted();
      if (isOneshot) turns.leave();
      else void ending.conclude('interrupted');
    } else if (failure) {
      if (!retries.tryAgain(failure)) void ending.finishFailed();
    } else if (isClean && isOneshot) turns.end({ type: 'turn_end', status: 'completed' });
    else if (isClean && !mode.capabilities.turnCompletion) {
      turns.end({ type: 'turn_end', status: 'completed' });
      void ending.conclude(fold.reason ?? 'completed');
    } else if (!retries.tryAgain(this.#endEvent(end))) ending.crash(end);
  }

  /** The event that decides about a retry: not every end is a crash of the agent. */
  #endEvent(end: AgentEnd): EventBody {
    const { adapter, context } = this.#run;
    const crash = crashOf(adapter, end, context.secrets);
    const code = endCodeOf(end.exit);
    return code === 'AGENT_CRASH' ? crash : { type: 'error', code, message: crash.message, recoverable: true };
  }
}
