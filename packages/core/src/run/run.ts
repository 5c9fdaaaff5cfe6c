import type { AgentAdapter, AgentMode, SpawnArgs } from '../contract/adapter.ts';
import type { ApprovalMode } from '../contract/capabilities.ts';
import { AgentMuxError, CapabilityError, type ErrorCode } from '../contract/errors.ts';
import {
  type AgentEvent,
  type EventBody,
  type ExitReason,
  TERMINAL_EVENTS,
  type TimeoutKind,
} from '../contract/events.ts';
import type { Attachment, ResolvedRunOptions, TurnInput } from '../contract/options.ts';
import type { QuotaStatus } from '../contract/quota.ts';
import { failureOf, isTransient, mayRetry } from '../contract/retry.ts';
import type { RunError, RunResult } from '../contract/run.ts';
import { waitOf, withResetTime } from '../limits/limit-event.ts';
import { estimateCost } from '../models/facts.ts';
import { redactSecrets } from '../redact/redact.ts';
import { redactTrouble } from '../redact/secrets.ts';
import type { DecodeProgress } from './drivers/decode.ts';
import type { Driver, DriverEnd, DriverSink } from './drivers/driver.ts';
import { EventLog } from './log/event-log.ts';
import { Listeners } from './log/listeners.ts';
import { validateStructured } from './options/structured.ts';
import { resolveTurn } from './options/turn-input.ts';
import { Sequencer } from './order/sequence.ts';
import { BackgroundWork } from './turns/background.ts';
import { causeOf, crashOf, endCodeOf, errorOf, reasonOf, timeoutOf } from './turns/failure.ts';
import { missingFile } from './turns/output-files.ts';
import { PendingRequests } from './turns/requests.ts';
import { MAX_RESULT_TEXT_CHARS, ResultFold } from './turns/result.ts';
import { Retries, refuseWait } from './turns/retries.ts';
import { Watchdogs } from './turns/watchdogs.ts';

/** A process has so long to leave after its last word. */
const EXIT_GRACE_MS = 5000;
/** The same for agents that are known to linger (AgentMode.turnEndIsFinal). */
const LINGERING_GRACE_MS = 250;
/** An agent that does not react to an interrupt is ended after so long. */
const INTERRUPT_LIMIT_MS = 10_000;

export interface RunSurroundings {
  /** Looks the binary up and opens the way to the agent. Throws what makes the run impossible; `over`: nobody waits any longer. */
  connect(run: Run, sink: DriverSink, over: AbortSignal): Promise<Driver>;
  /** Notes that belong on the stream, found beside the run (an unproven version, an overridden built-in). */
  notes(): AsyncIterable<EventBody>;
  /** Takes the session of an attempt that has failed out of the agent's store: the next attempt makes its own. */
  dropSession?(sessionId: string): Promise<boolean>;
  /** Removes what was put aside for the agent, which is gone. Resolves to what is to be told of it. */
  tidyUp(): Promise<string | undefined>;
  /** Awaited before the run is over for its caller; without a result when it could not begin. */
  finished(result: RunResult | undefined): Promise<void>;
  secrets: readonly string[];
  /** What a failure has to do with the agent's surroundings, in words. */
  explain?(failure: { type: string; message: string; stderr?: string }): string | undefined;
}

/**
 * `leaving`: the turn has ended, its process has not. `idle`: between two turns. `backoff`: before a turn is tried again.
 * `closing`: the run ends, whatever the agent still says. `over`: it has.
 */
type Phase = 'opening' | 'turn' | 'leaving' | 'idle' | 'backoff' | 'closing' | 'over';
type TurnEnd = Extract<EventBody, { type: 'turn_end' }>;

interface Ending {
  kill?: boolean;
  /** The terminal event. */
  last?: EventBody;
  error?: RunError;
}

/** What an agent may still say while it is let go. */
const LAST_WORDS: ReadonlySet<string> = new Set([
  'cost',
  'context_usage',
  'rate_limit_status',
  'title',
  'debug',
  'log',
]);

function isLastWord(body: EventBody): boolean {
  return LAST_WORDS.has(body.type) || (body.type === 'error' && body.recoverable);
}

function isWholeEvent(body: EventBody): body is AgentEvent {
  return 'seq' in body && 'runId' in body;
}

/** One run: turns in, events out, and an end under all circumstances. */
export class Run {
  readonly adapter: AgentAdapter;
  readonly mode: AgentMode;
  readonly log: EventLog;
  readonly listeners = new Listeners();
  readonly sequence: Sequencer;
  readonly requests: PendingRequests;
  readonly progress: DecodeProgress = { eventCount: 0, lastEventType: null };
  readonly result: Promise<RunResult>;
  options: ResolvedRunOptions;
  readonly #surroundings: RunSurroundings;
  readonly #fold: ResultFold;
  readonly #watchdogs: Watchdogs;
  readonly #started = performance.now();
  readonly #retries: Retries;
  readonly #background = new BackgroundWork();
  readonly #queue: TurnInput[] = [];
  readonly #settle = Promise.withResolvers<RunResult>();
  readonly #over = new AbortController();
  #phase: Phase = 'opening';
  #driver: Driver | undefined;
  /** Counts the connections; what an older one says is not heard. */
  #generation = 0;
  /** A connection that is being opened or given up: the run does not end before. */
  #transition: Promise<unknown> = Promise.resolve();
  #current: TurnInput | undefined;
  /** The last failure that was told in this turn. */
  #failure: EventBody | undefined;
  /** Text or tools have come in this turn: it cannot be repeated unseen. */
  #productive = false;
  #processRunning = false;
  /** A kept process left as this run came to it, and another one took its place: once. */
  #replaced = false;
  #ending = false;
  #interrupting = false;
  #saidInterrupted = false;
  #saidTextCut = false;
  /** A file was named as a result in this turn, and is not there. */
  #fileMissing = false;
  #aborted: { reason?: string } | undefined;
  /** The last process did not leave by itself within this time. */
  #lingered: number | undefined;
  #exitCode: number | null = null;
  #exitTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #turnWaiters: (() => void)[] = [];
  /** Of the chunk that is being taken: what each of its events weighs, and when it came. */
  #weight = 0;
  #now: number | undefined;

  constructor(adapter: AgentAdapter, mode: AgentMode, options: ResolvedRunOptions, surroundings: RunSurroundings) {
    this.adapter = adapter;
    this.mode = mode;
    this.options = options;
    this.#surroundings = surroundings;
    this.#fold = new ResultFold((model, usage) => estimateCost(adapter.models, model, usage));
    this.result = this.#settle.promise;
    // A caller that reads the events learns of a failure there.
    this.result.catch(() => {});
    this.log = new EventLog(() => this.#letFlow());
    const { agent, runId, sessionId, forkSessionId } = options;
    const identity = { agent, runId, resumes: sessionId, forks: forkSessionId, toolKinds: adapter.toolKinds };
    this.sequence = new Sequencer(
      identity,
      (event) => this.#publish(event),
      () => this.#now ?? Date.now(),
    );
    this.requests = new PendingRequests({
      options: () => this.options,
      write: (body, raw) => this.sequence.write(body, raw),
      resolve: (request, answer) => this.#driver?.resolve(request, answer),
      undeliverable: (error) => void this.#fail(error),
      changed: (waiting) => this.#watchdogs.asking(waiting),
    });
    this.#retries = new Retries(options.retryPolicy);
    const { timeout = 0, inactivityTimeout = 0, afterToolTimeout = 0 } = options;
    this.#watchdogs = new Watchdogs(
      { run: timeout, inactivity: inactivityTimeout, after_tool: afterToolTimeout },
      (kind, limitMs) => void this.#timedOut(kind, limitMs),
    );
  }

  /** The limits of a launch (`SpawnArgs`) beside those of the options; the shorter ones count. */
  limit(spawn: Pick<SpawnArgs, 'timeout' | 'inactivityTimeout'>): void {
    this.#watchdogs.tighten(spawn.timeout, spawn.inactivityTimeout);
  }

  get text(): string {
    return this.#fold.text;
  }

  /** What the agent has told of its limits so far. */
  get quota(): QuotaStatus | null {
    return this.#fold.quota;
  }

  /** Begins in a microtask, so that the caller can attach readers first. */
  start(): void {
    queueMicrotask(() => {
      const { signal } = this.options;
      if (signal?.aborted) this.#onSignal();
      if (this.#phase !== 'opening') return;
      signal?.addEventListener('abort', this.#onSignal, { once: true });
      this.#watchdogs.start();
      this.#open({ text: this.options.prompt, attachments: this.options.attachments });
      void this.#takeNotes();
    });
  }

  /** Something worth knowing that did not come from the agent. */
  note(body: EventBody): void {
    this.sequence.write(body);
  }

  send(text: string, attachments: readonly Attachment[] = []): void {
    this.#mustBeOpen('send');
    if (!this.mode.capabilities.supportsMultiTurn) throw this.#cannot('send', 'takes one turn only');
    this.#queue.push(resolveTurn(this.adapter, this.mode, this.options, text, attachments));
    if (this.#phase === 'idle') this.#nextTurn();
  }

  steer(text: string): void {
    this.#mustBeOpen('steer');
    if (!this.mode.capabilities.supportsSteer) throw this.#cannot('steer', 'cannot be steered within a turn');
    if (this.#phase !== 'turn')
      throw new AgentMuxError('RUN_ENDED', 'no turn is running that could be steered', {
        hint: 'use send() for a new turn',
      });
    this.#driver?.steer(resolveTurn(this.adapter, this.mode, this.options, text, []));
  }

  async interrupt(): Promise<void> {
    this.#mustBeOpen('interrupt');
    if (!this.mode.capabilities.supportsInterrupt)
      throw this.#cannot('interrupt', 'cannot be interrupted', 'abort() ends the run');
    // Nothing runs yet, or nothing any more, that could be kept.
    if (this.#phase === 'opening' || this.#phase === 'backoff') {
      this.#retries.wake();
      return this.#conclude('interrupted', { kill: true });
    }
    if (this.#phase !== 'turn') return;
    const ended = new Promise<void>((resolve) => this.#turnWaiters.push(resolve));
    if (!this.#interrupting) {
      this.#interrupting = true;
      this.requests.cancelAll('caller');
      this.#interruptDriver();
    }
    const timer = setTimeout(() => void this.#conclude('interrupted', { kill: true }), INTERRUPT_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  }

  /** An agent that cannot even be told to stop is ended. */
  #interruptDriver(): void {
    try {
      this.#driver?.interrupt();
    } catch (thrown) {
      this.note({ type: 'error', ...errorOf(thrown), recoverable: true });
      void this.#conclude('interrupted', { kill: true });
    }
  }

  async abort(reason?: string): Promise<RunResult> {
    if (this.#phase === 'closing') void this.#driver?.kill();
    else if (this.#phase !== 'over') {
      this.#aborted = { reason };
      this.#retries.wake();
      const last: EventBody = { type: 'aborted', ...(reason === undefined ? {} : { reason }) };
      const error: RunError = { code: 'ABORTED', message: reason ?? 'the run was aborted' };
      void this.#conclude('aborted', { kill: true, last, error });
    }
    return this.result;
  }

  end(): Promise<RunResult> {
    this.#ending = true;
    if (this.#phase === 'idle') void this.#maybeFinish();
    return this.result;
  }

  setModel(model: string): void {
    this.#mustBeOpen('setModel');
    if (!this.mode.capabilities.supportsModelSwitch)
      throw this.#cannot('setModel', 'cannot change its model while it runs');
    this.#driver?.setModel(model);
    this.options = { ...this.options, model };
  }

  setApprovalMode(mode: ApprovalMode): void {
    this.#mustBeOpen('setApprovalMode');
    const { supportsModeSwitch, approvalModes } = this.mode.capabilities;
    if (!supportsModeSwitch) throw this.#cannot('setApprovalMode', 'cannot change its permissions while it runs');
    if (!approvalModes.includes(mode)) throw this.#cannot('setApprovalMode', `knows ${approvalModes.join(', ')}`);
    this.#driver?.setApprovalMode(mode);
    this.options = { ...this.options, approvalMode: mode };
  }

  // ---- a connection and its turns -----------------------------------------------------------------------------------

  readonly #onSignal = () => {
    const reason: unknown = this.options.signal?.reason;
    void this.abort(reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : undefined);
  };

  get #isEnding(): boolean {
    return this.#phase === 'closing' || this.#phase === 'over';
  }

  #open(input: TurnInput): void {
    const generation = ++this.#generation;
    this.#current = input;
    this.#transition = this.#connect(generation).then(
      (driver) => {
        if (generation !== this.#generation || this.#isEnding) return driver.kill();
        this.#driver = driver;
        this.#beginTurn(input);
      },
      (error) => void this.#fail(error),
    );
  }

  #connect(generation: number): Promise<Driver> {
    // Called from within streams and timers, where nobody else would catch what is thrown.
    const hear = (take: () => void) => {
      if (generation !== this.#generation) return;
      try {
        take();
      } catch (error) {
        void this.#fail(error);
      }
    };
    const sink: DriverSink = {
      events: (bodies, raw, bytes) => hear(() => this.#receive(bodies, raw, bytes)),
      alive: () => this.#watchdogs.sign(),
      ended: (end) => hear(() => this.#driverEnded(end)),
      failed: (error) => hear(() => void this.#fail(error)),
    };
    return this.#surroundings.connect(this, sink, this.#over.signal);
  }

  #beginTurn(input: TurnInput): void {
    this.#enterTurn();
    this.#current = input;
    this.#processRunning = this.#driver!.turnEndsWithProcess;
    if (this.#lingered !== undefined) {
      const message = timeoutOf(this.adapter.displayName, 'exit', this.#lingered).message;
      this.note({ type: 'debug', level: 'warn', code: 'process_lingered', message });
      this.#lingered = undefined;
    }
    this.sequence.beginTurn();
    try {
      this.#driver!.startTurn(input);
    } catch (error) {
      void this.#fail(error);
    }
  }

  #enterTurn(): void {
    this.#phase = 'turn';
    this.#current = undefined;
    this.#failure = undefined;
    this.#productive = false;
    this.#interrupting = false;
    this.#saidInterrupted = false;
    this.#saidTextCut = false;
    this.#fileMissing = false;
    clearTimeout(this.#exitTimer);
    clearTimeout(this.#idleTimer);
    this.#watchdogs.turn(true);
  }

  #receive(bodies: EventBody[], raw: string | undefined, bytes: number): void {
    const generation = this.#generation;
    const shown = this.options.includeRaw ? raw : undefined;
    this.#weight = bytes / bodies.length;
    this.#now = Date.now();
    for (const body of bodies) {
      if (!this.#isEnding) this.#take(body, shown);
      else if (isLastWord(body)) this.sequence.write(body, shown);
      if (generation !== this.#generation) break;
    }
    this.#weight = 0;
    this.#now = undefined;
    this.#tellCutText();
    if (this.log.full && !this.#isEnding) {
      this.#driver?.pause();
      this.#watchdogs.paused(true);
    }
  }

  #tellCutText(): void {
    if (this.#fold.omittedTextChars === 0 || this.#saidTextCut) return;
    this.#saidTextCut = true;
    const message = `the text of the result is cut after ${MAX_RESULT_TEXT_CHARS} characters; the stream has all of it`;
    this.note({ type: 'debug', level: 'warn', code: 'text_cut', message, data: { keptChars: MAX_RESULT_TEXT_CHARS } });
  }

  #take(body: EventBody, raw: string | undefined): void {
    if (this.mode.passthrough && isWholeEvent(body)) {
      this.#productive = true;
      this.sequence.pass(body);
      if (body.type === 'turn_end') this.#afterTurn();
      return;
    }
    switch (body.type) {
      case 'text_delta':
      case 'tool_call_start':
      case 'tool_call_ready':
      case 'mcp_tool_call_start':
        this.#productive = true;
        // Whatever was told before, the agent has overcome it.
        this.#failure = undefined;
        break;
      case 'approval_request':
      case 'input_required':
        this.sequence.fillKind(body);
        this.requests.ask(body, raw);
        return;
      case 'approval_resolved':
      case 'input_resolved':
        this.requests.withdrawn(body, raw);
        return;
      case 'turn_end':
        this.#turnEnded(body, raw);
        return;
      case 'file_output': {
        const problem = missingFile(body, this.options);
        if (problem === undefined) break;
        this.#fileMissing = true;
        this.sequence.write({ type: 'error', code: 'AGENT_ERROR', message: problem, recoverable: false }, raw);
        return;
      }
      case 'interrupted':
        if (this.#saidInterrupted) return;
        this.#saidInterrupted = true;
        break;
      case 'subagent_start':
      case 'subagent_end':
        this.#background.take(body, this.#phase === 'turn');
        break;
      case 'rate_limit_error':
        this.#takeFailure(withResetTime(body, Date.now()), raw);
        return;
      case 'auth_error':
      case 'context_exceeded':
      case 'error':
        this.#takeFailure(body, raw);
        return;
    }
    this.sequence.write(body, raw);
  }

  #takeFailure(body: EventBody & { message: string }, raw: string | undefined): void {
    this.sequence.write(this.#explained(body), raw);
    this.#failureReported(body);
  }

  #explained<Failure extends EventBody & { message: string }>(failure: Failure): Failure {
    const why = this.#surroundings.explain?.(failure);
    return why === undefined ? failure : { ...failure, message: `${failure.message} (${why})` };
  }

  #failureReported(body: EventBody): void {
    const cause = causeOf(body);
    if (!cause) return;
    this.#failure = body;
    // The CLI would go on retrying by itself, for minutes or for ever. Only the engine retries.
    if (body.type === 'rate_limit_error' && body.retrying) {
      if (!this.#maybeRetry(body)) void this.#finishFailed({ kill: true });
      return;
    }
    // A refused login stays refused, however often a CLI tries again; a live one is stopped by its codec.
    if (body.type === 'auth_error' && this.#driver?.turnEndsWithProcess && this.#phase === 'turn') {
      if (!this.#maybeRetry(body)) void this.#finishFailed({ kill: true });
      return;
    }
    // The handshake failed: there is no turn whose end would tell.
    const fatal = isTransient(cause.code) || failureOf(body)?.recoverable === false;
    if (fatal && this.#driver?.handshaking && !this.#maybeRetry(body)) void this.#finishFailed({});
  }

  #publish(event: AgentEvent): void {
    redactTrouble(event, this.#surroundings.secrets);
    this.#fold.take(event);
    this.log.push(event, this.#weight);
    switch (event.type) {
      case 'text_delta':
        this.#watchdogs.tools('none');
        break;
      case 'tool_result':
      case 'tool_error':
      case 'mcp_tool_result':
      case 'mcp_tool_error':
        this.#watchdogs.tools(this.sequence.openTools > 0 ? 'running' : 'after');
        break;
      case 'tool_call_ready':
      case 'mcp_tool_call_start':
        this.#watchdogs.tools('running');
        break;
      case 'turn_start':
        // The agent woke by itself: a turn like any other.
        if (this.#phase === 'idle' || this.#phase === 'leaving') this.#enterTurn();
        break;
    }
    this.listeners.tell(event);
  }

  #letFlow(): void {
    this.#watchdogs.paused(false);
    this.#driver?.resume();
  }

  #turnEnded(body: TurnEnd, raw?: string): void {
    if (this.#phase !== 'turn') return;
    const interrupted = this.#interrupting && body.status !== 'completed';
    if (interrupted) this.#sayInterrupted();
    else if (body.status === 'failed' && this.#failure && this.#maybeRetry(this.#failure)) return;
    const checked = this.#checkStructured(interrupted ? { ...body, status: 'interrupted' } : body);
    const isFailed = checked.status === 'completed' && this.#fileMissing;
    const end: TurnEnd = isFailed ? { ...checked, status: 'failed' } : checked;
    if (end.status !== 'completed') this.#background.forget();
    this.requests.cancelAll('agent');
    const { status, structured, stopReason } = end;
    this.sequence.endTurn(
      status,
      { ...(structured === undefined ? {} : { structured }), ...(stopReason === undefined ? {} : { stopReason }) },
      raw,
    );
    this.#afterTurn();
  }

  #checkStructured(body: TurnEnd): TurnEnd {
    const { outputSchema } = this.options;
    if (body.status !== 'completed' || !outputSchema) return body;
    const { value, problem } = validateStructured(outputSchema, body.structured, this.text);
    if (!problem) return { ...body, structured: value };
    this.sequence.write({ type: 'error', code: 'OUTPUT_SCHEMA_ERROR', message: problem, recoverable: false });
    return { ...body, status: 'failed', structured: value };
  }

  #sayInterrupted(): void {
    if (!this.#saidInterrupted) this.sequence.write({ type: 'interrupted', by: 'caller' });
    this.#saidInterrupted = true;
  }

  #afterTurn(): void {
    this.#watchdogs.turn(false);
    this.#wakeTurnWaiters();
    if (this.#processRunning) {
      // A process per turn: its end, not its last word, frees the way. It must not stay for ever, though.
      this.#phase = 'leaving';
      this.#watchExit();
    } else this.#becomeIdle();
  }

  #becomeIdle(): void {
    this.#phase = 'idle';
    if (this.#queue.length > 0) this.#nextTurn();
    else void this.#maybeFinish();
  }

  #nextTurn(): void {
    const input = this.#queue.shift();
    if (input) this.#beginTurn(input);
  }

  /** Ends the run, unless a reader or listener sends another turn, or a background task may still wake the agent. */
  async #maybeFinish(): Promise<void> {
    const seen = this.log.length;
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.#ending) await this.log.settled(seen);
    if (this.#phase !== 'idle') return;
    if (this.log.length !== seen) return this.#maybeFinish();
    if (!this.#ending) {
      if (this.options.interactive) return;
      const wait = this.#background.waitMs();
      if (wait > 0) {
        this.#watchdogs.background();
        clearTimeout(this.#idleTimer);
        this.#idleTimer = setTimeout(() => void this.#maybeFinish(), wait);
        return;
      }
    }
    await this.#conclude(this.#fold.reason ?? 'completed', {});
  }

  #watchExit(): void {
    clearTimeout(this.#exitTimer);
    if (this.#background.running) {
      this.#watchdogs.background();
      return;
    }
    const final = this.mode.turnEndIsFinal === true;
    const limit = final ? LINGERING_GRACE_MS : EXIT_GRACE_MS;
    const seen = this.log.length;
    this.#exitTimer = setTimeout(() => {
      if (this.#phase !== 'leaving') return;
      // It still talks (a background task has ended): not hung.
      if (!final && this.log.length !== seen) return this.#watchExit();
      if (!final) this.#lingered = limit;
      void this.#driver?.kill();
    }, limit);
  }

  #driverEnded(end: DriverEnd): void {
    clearTimeout(this.#exitTimer);
    if (end.stale && this.#replace()) return;
    this.#watchdogs.launchEnded();
    this.#exitCode = end.exit.code;
    // Only where the turn was not over is an exit a crash; everything else that the adapter has to say of it is told.
    const words = (end.words ?? []).filter(({ type }) => type !== 'crash');
    if (words.length > 0) this.#receive(words, undefined, 0);
    this.#processRunning = false;
    if (this.#phase === 'turn') this.#processEndedTurn(end);
    else if (this.#phase === 'leaving') {
      this.#watchdogs.turn(false);
      this.#becomeIdle();
    }
    // The agent left between two turns, by itself. While more turns are expected that is a fault, if it says so.
    else if (this.#phase === 'idle') {
      if (this.options.interactive && !this.#ending && end.exit.code !== 0) this.#crashed(end);
      else void this.#conclude(this.#fold.reason ?? 'completed', {});
    }
  }

  /** Nothing has been shown of a process that was leaving: no retry, and nothing that a policy would have to allow. */
  #replace(): boolean {
    if (this.#replaced || this.#productive || this.#interrupting || this.#phase !== 'turn') return false;
    this.#replaced = true;
    const message = `the kept process of ${this.adapter.displayName} was leaving: a new one is started`;
    this.note({ type: 'debug', level: 'info', code: 'process_replaced', message });
    void this.#retryAfter(0);
    return true;
  }

  #processEndedTurn(end: DriverEnd): void {
    const oneshot = this.#driver?.turnEndsWithProcess === true;
    const clean = !end.exit.spawnError && end.exit.code === 0;
    const { error } = this.#fold;
    const failure = this.#failure ?? (error ? { type: 'error' as const, ...error, recoverable: false } : undefined);
    if (this.#interrupting) {
      this.#sayInterrupted();
      this.requests.cancelAll('agent');
      this.sequence.endTurn('interrupted');
      if (oneshot) this.#afterTurn();
      else void this.#conclude('interrupted', {});
    } else if (failure) {
      if (!this.#maybeRetry(failure)) void this.#finishFailed({});
    } else if (clean && oneshot) this.#turnEnded({ type: 'turn_end', status: 'completed' });
    else if (clean && !this.mode.capabilities.turnCompletion) {
      this.#turnEnded({ type: 'turn_end', status: 'completed' });
      void this.#conclude(this.#fold.reason ?? 'completed', {});
    } else if (!this.#maybeRetry(this.#endEvent(end))) this.#crashed(end);
  }

  /** The end as what it is to a retry: not every one is a crash of the agent. */
  #endEvent(end: DriverEnd): EventBody {
    const crash = crashOf(this.adapter, end, this.#surroundings.secrets);
    const code = endCodeOf(end.exit);
    return code === 'AGENT_CRASH' ? crash : { type: 'error', code, message: crash.message, recoverable: true };
  }

  #crashed(end: DriverEnd): void {
    const last = this.#explained(crashOf(this.adapter, end, this.#surroundings.secrets));
    const code = endCodeOf(end.exit);
    void this.#conclude('crashed', { last, error: { code, message: last.message } });
  }

  async #timedOut(kind: TimeoutKind, limitMs: number): Promise<void> {
    if (this.#isEnding) return;
    this.#driver?.flush();
    const last: Extract<EventBody, { type: 'timeout' }> = timeoutOf(this.adapter.displayName, kind, limitMs);
    const said = this.adapter.onTimeout?.(kind);
    if (said && !TERMINAL_EVENTS.has(said.type)) this.sequence.write(said);
    else if (said?.type === 'timeout') last.message = said.message;
    const code: ErrorCode = kind === 'run' ? 'TIMEOUT' : 'INACTIVITY_TIMEOUT';
    await this.#conclude(reasonOf(code), { kill: true, last, error: { code, message: last.message } });
  }

  // ---- trying again -------------------------------------------------------------------------------------------------

  /** True: the turn is being tried again, from the start, in a new process. */
  #maybeRetry(event: EventBody): boolean {
    const first = this.sequence.turnCount <= 1;
    if (!first || this.#productive || this.#interrupting || this.#isEnding) return false;
    if (!this.#wantsRetry(event)) return false;
    const waitMs = waitOf(event, Date.now());
    const tooLong = refuseWait(waitMs, this.options.retryPolicy, this.#timeLeft());
    if (tooLong) {
      this.note({ type: 'debug', level: 'warn', code: 'limit_not_waited_for', message: tooLong });
      return false;
    }
    const retry = this.#retries.next(failureOf(event)?.message ?? event.type, waitMs);
    if (!retry) return false;
    this.#failure = undefined;
    this.requests.cancelAll('agent');
    this.sequence.write(retry);
    void this.#retryAfter(retry.delayMs);
    return true;
  }

  #timeLeft(): number {
    const { timeout } = this.options;
    return timeout ? timeout - (performance.now() - this.#started) : Number.POSITIVE_INFINITY;
  }

  /** An adapter that cannot say is taken for a no. */
  #wantsRetry(event: EventBody): boolean {
    const { retryPolicy } = this.options;
    const { attempt } = this.#retries;
    try {
      return this.adapter.shouldRetry?.(event, attempt, retryPolicy) ?? mayRetry(event, attempt, retryPolicy);
    } catch (thrown) {
      this.note({ type: 'error', ...errorOf(thrown), recoverable: true });
      return false;
    }
  }

  async #retryAfter(delayMs: number): Promise<void> {
    this.#phase = 'backoff';
    this.#watchdogs.turn(false);
    this.#generation += 1;
    const old = this.#driver;
    this.#driver = undefined;
    this.#transition = old?.kill() ?? Promise.resolve();
    await Promise.all([this.#transition, this.#retries.wait(delayMs)]);
    // Only now: a run that is ended while it waits keeps the session that it has told of.
    if (this.#phase === 'backoff') await this.#dropSession();
    if (this.#phase === 'backoff' && this.#current) this.#open(this.#current);
  }

  /** Only the first turn is tried again: however often that is, it leaves one session. */
  async #dropSession(): Promise<void> {
    const { sessionId } = this.sequence;
    if (this.options.sessionId !== undefined || sessionId === undefined) return;
    try {
      if (await this.#surroundings.dropSession?.(sessionId)) this.sequence.forgetSession();
    } catch (thrown) {
      const { message } = errorOf(thrown);
      this.note({
        type: 'debug',
        level: 'warn',
        code: 'session_left',
        message: `session ${sessionId} of the attempt that failed is left: ${message}`,
      });
    }
  }

  // ---- the end ------------------------------------------------------------------------------------------------------

  async #finishFailed(how: Ending): Promise<void> {
    this.requests.cancelAll('agent');
    this.sequence.endTurn('failed');
    const error = this.#fold.error ?? this.#fold.cause ?? undefined;
    await this.#conclude(reasonOf(error?.code ?? 'AGENT_ERROR'), { ...how, error });
  }

  /** Before the first event the promise rejects, as if the call itself had thrown; later the run has failed. */
  async #fail(thrown: unknown): Promise<void> {
    if (this.#isEnding) return;
    if (this.sequence.count > 0) {
      const error = errorOf(thrown);
      this.sequence.write({ type: 'error', ...error, recoverable: false });
      await this.#conclude(reasonOf(error.code), { kill: true, error });
      return;
    }
    this.#phase = 'over';
    this.#over.abort();
    this.#stopWatching();
    await this.#driver?.kill().catch(() => {});
    await this.#surroundings.tidyUp();
    await this.#surroundings.finished(undefined);
    this.#wakeTurnWaiters();
    this.log.end(thrown);
    this.#settle.reject(thrown);
  }

  async #conclude(reason: ExitReason, how: Ending): Promise<void> {
    if (this.#isEnding) return;
    this.#phase = 'closing';
    this.#over.abort();
    this.#stopWatching();
    this.requests.cancelAll(this.#aborted ? 'caller' : 'agent');
    await this.#letGo(how.kill === true);
    const left = await this.#surroundings.tidyUp();
    if (left !== undefined) this.note({ type: 'debug', level: 'warn', code: 'scratch_left', message: left });
    if (this.#queue.length > 0 && !this.#aborted) {
      const message = `${this.#queue.length} further turns were not sent: the run has ended`;
      this.note({ type: 'debug', level: 'warn', code: 'turns_not_sent', message });
    }
    const { displayName } = this.adapter;
    if (how.last) this.sequence.write(how.last);
    else if (this.#lingered !== undefined) this.sequence.write(timeoutOf(displayName, 'exit', this.#lingered));
    this.sequence.endSession(reason);
    const error = how.error ?? (reason === 'completed' || reason === 'interrupted' ? null : this.#fold.error);
    const result = this.#resultOf(reason, error);
    this.#phase = 'over';
    this.#wakeTurnWaiters();
    await this.#surroundings.finished(result);
    this.log.end();
    this.#settle.resolve(result);
  }

  /** Whatever goes wrong with it, the run ends. */
  async #letGo(kill: boolean): Promise<void> {
    try {
      await this.#transition;
      const driver = this.#driver;
      if (kill) await driver?.kill();
      else {
        // A reader that stalls must not keep the agent from leaving.
        driver?.resume();
        const grace = this.mode.turnEndIsFinal ? LINGERING_GRACE_MS : EXIT_GRACE_MS;
        const left = (await driver?.finish(grace)) ?? true;
        if (!left && !this.mode.turnEndIsFinal) this.#lingered = grace;
      }
    } catch (thrown) {
      this.note({ type: 'error', ...errorOf(thrown), recoverable: true });
    }
  }

  #resultOf(exitReason: ExitReason, error: RunError | null): RunResult {
    const { runId, agent, tags = [] } = this.options;
    const { text, omittedTextChars, model, usage, costUsd, costSource, serviceTier, quota, structured } = this.#fold;
    return {
      runId,
      agent,
      mode: this.mode.name,
      text,
      ...(omittedTextChars === 0 ? {} : { omittedTextChars }),
      sessionId: this.sequence.sessionId ?? null,
      model,
      usage,
      costUsd,
      costSource,
      serviceTier,
      quota,
      durationMs: Math.round(performance.now() - this.#started),
      exitReason,
      exitCode: this.#exitCode,
      error: error && { ...error, message: redactSecrets(error.message, this.#surroundings.secrets) },
      turnCount: this.sequence.turnCount,
      ...(structured === undefined ? {} : { structured }),
      tags,
    };
  }

  #stopWatching(): void {
    this.#watchdogs.stop();
    clearTimeout(this.#exitTimer);
    clearTimeout(this.#idleTimer);
    this.options.signal?.removeEventListener('abort', this.#onSignal);
  }

  #wakeTurnWaiters(): void {
    for (const wake of this.#turnWaiters.splice(0)) wake();
  }

  async #takeNotes(): Promise<void> {
    for await (const body of this.#surroundings.notes()) this.note(body);
  }

  #mustBeOpen(call: string): void {
    if (!this.#isEnding) return;
    throw new AgentMuxError('RUN_ENDED', `${call}(): the run has ended`, {
      agent: this.options.agent,
      hint: 'start a new run with sessionId to go on with the conversation',
    });
  }

  #cannot(option: string, what: string, hint?: string): CapabilityError {
    const { displayName, agent } = this.adapter;
    return new CapabilityError(agent, option, `${displayName} in mode "${this.mode.name}" ${what}`, hint);
  }
}
