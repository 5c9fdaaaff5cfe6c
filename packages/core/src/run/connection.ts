import type { EventBody } from '../contract/events.ts';
import type { TurnInput } from '../contract/options.ts';
import type { AgentEnd } from './channels/channel.ts';
import type { Driver, DriverSink } from './drivers/driver.ts';
import type { RunParts } from './parts.ts';
import { asRunError, crashOf, endCodeOf, timeoutOf } from './turns/failure.ts';

/** A process has so long to leave after its last word. */
const EXIT_GRACE_MS = 5000;
/** The same for agents that are known to linger (AgentMode.turnEndIsFinal). */
const LINGERING_GRACE_MS = 250;

/** The way to the agent: opened, perhaps given up for another one, and let go at the end. */
export class Connection {
  readonly #run: RunParts;
  readonly #openDriver: (sink: DriverSink) => Promise<Driver>;
  #driver: Driver | undefined;
  /** Counts the connections; what an older one says is not heard. */
  #generation = 0;
  /** A connection that is being opened or given up: the run does not end before. */
  #transition: Promise<unknown> = Promise.resolve();
  #isProcessRunning = false;
  /** A kept process left as this run came to it, and another one took its place: once. */
  #isReplaced = false;
  /** The last process did not leave by itself within this time. */
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

  /** Of the last process that has ended. */
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

  /** Resolves when the first turn was sent, or never will be. */
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

  /** A reader stalls: the agent waits in its writes. */
  pause(): void {
    this.#driver?.pause();
    this.#run.watchdogs.notePause(true);
  }

  resume(): void {
    this.#run.watchdogs.notePause(false);
    this.#driver?.resume();
  }

  /** Nothing of this attempt is heard any more. */
  giveUp(): Promise<unknown> {
    this.#generation += 1;
    const old = this.#driver;
    this.#driver = undefined;
    this.#transition = old?.kill() ?? Promise.resolve();
    return this.#transition;
  }

  /** Whatever goes wrong with it, the run ends. */
  async letGo(kill: boolean): Promise<void> {
    const { mode } = this.#run;
    try {
      await this.#transition;
      const driver = this.#driver;
      if (kill) await driver?.kill();
      else {
        // A reader that stalls must not keep the agent from leaving.
        driver?.resume();
        const grace = mode.turnEndIsFinal ? LINGERING_GRACE_MS : EXIT_GRACE_MS;
        const left = (await driver?.finish(grace)) ?? true;
        if (!left && !mode.turnEndIsFinal) this.#lingered = grace;
      }
    } catch (thrown) {
      this.#run.note({ type: 'error', ...asRunError(thrown), recoverable: true });
    }
  }

  /** The process of a turn that has ended must not stay for ever. */
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
      // It still talks (a background task has ended): not hung.
      if (!final && log.length !== seen) return this.watchExit();
      if (!final) this.#lingered = limit;
      void this.#driver?.kill();
    }, limit);
  }

  stopWatchingExit(): void {
    clearTimeout(this.#exitTimer);
  }

  /** Told between two turns: the process of the last one had to be ended. */
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
    const { intake, watchdogs, ending } = this.#run;
    // Called from within streams and timers, where nobody else would catch what is thrown.
    const hear = (take: () => void) => {
      if (generation !== this.#generation) return;
      try {
        take();
      } catch (error) {
        void ending.fail(error);
      }
    };
    return {
      events: (bodies, raw, bytes) => hear(() => intake.receive(bodies, raw, bytes)),
      alive: () => watchdogs.noteSign(),
      ended: (end) => hear(() => this.#close(end)),
      failed: (error) => hear(() => void ending.fail(error)),
    };
  }

  #close(end: AgentEnd): void {
    const { watchdogs, intake, phases, turns, options, ending, fold } = this.#run;
    this.stopWatchingExit();
    if (end.stale && this.#replace()) return;
    watchdogs.forgetLaunch();
    this.#exitCode = end.exit.code;
    // Only where the turn was not over is an exit a crash; everything else that the adapter has to say of it is told.
    const words = (end.words ?? []).filter(({ type }) => type !== 'crash');
    if (words.length > 0) intake.receive(words, undefined, 0);
    this.#isProcessRunning = false;
    if (phases.is('turn')) this.#endTurn(end);
    else if (phases.is('leaving')) {
      watchdogs.watchTurn(false);
      turns.rest();
    }
    // The agent left between two turns, by itself. While more turns are expected that is a fault, if it says so.
    else if (phases.is('idle')) {
      if (options.interactive && !turns.isLast && end.exit.code !== 0) ending.crash(end);
      else void ending.conclude(fold.reason ?? 'completed');
    }
  }

  /** Nothing has been shown of a process that was leaving: no retry, and nothing that a policy would have to allow. */
  #replace(): boolean {
    const { adapter, phases, turns, retries } = this.#run;
    const { isProductive, isInterrupting } = turns.current;
    if (this.#isReplaced || isProductive || isInterrupting || !phases.is('turn')) return false;
    this.#isReplaced = true;
    const message = `the kept process of ${adapter.displayName} was leaving: a new one is started`;
    this.#run.note({ type: 'debug', level: 'info', code: 'process_replaced', message });
    void retries.startOver(0);
    return true;
  }

  /** The process has ended in the middle of a turn. */
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

  /** The end as what it is to a retry: not every one is a crash of the agent. */
  #endEvent(end: AgentEnd): EventBody {
    const { adapter, surroundings } = this.#run;
    const crash = crashOf(adapter, end, surroundings.secrets);
    const code = endCodeOf(end.exit);
    return code === 'AGENT_CRASH' ? crash : { type: 'error', code, message: crash.message, recoverable: true };
  }
}
