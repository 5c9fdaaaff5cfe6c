import type { AgentAdapter, AgentMode } from '../contract/adapter.ts';
import type { ApprovalMode } from '../contract/capabilities.ts';
import { AgentMuxError, CapabilityError, type ErrorCode, type Fault, ValidationError } from '../contract/errors.ts';
import type { AgentEvent, EventBody, ExitReason } from '../contract/events.ts';
import type { Attachment, ResolvedRunOptions, TurnInput } from '../contract/options.ts';
import type { RunResult } from '../contract/run.ts';
import type { Driver, DriverEnd } from './driver.ts';
import { EventLog } from './event-log.ts';
import { describeExit, failureOf, retryDelay } from './failure.ts';
import { resolveAttachment } from './options.ts';
import { redactSecrets } from './redact.ts';
import { PendingRequests } from './requests.ts';
import { ResultFold, reasonOf } from './result.ts';
import { Sequencer } from './sequence.ts';
import { validateStructured } from './structured.ts';
import { Watchdogs } from './watchdogs.ts';

/** A process has so long to leave after its last word. */
export const EXIT_GRACE_MS = 5000;
/** The same for agents that are known to linger (AgentMode.turnEndIsFinal). */
const LINGERING_GRACE_MS = 250;
/** An agent that does not react to an interrupt is ended after so long. */
export const INTERRUPT_LIMIT_MS = 10_000;
/** A background task that has ended often wakes its agent: so long is that waited for. */
const WAKE_MS = 3000;

export interface RunSurroundings {
  /** Looks the binary up and opens the way to the agent. Throws what makes the run impossible. */
  connect(run: Run, sink: RunSink): Promise<Driver>;
  /** Notes that belong on the stream, found beside the run (an unproven version, an overridden built-in). */
  notes(): AsyncIterable<EventBody>;
  /** Awaited before the result is handed out. */
  finished(result: RunResult): Promise<void>;
  secrets: readonly string[];
}

export interface RunSink {
  events(bodies: EventBody[], raw: string | undefined, bytes: number): void;
  alive(): void;
  ended(end: DriverEnd): void;
}

type Phase = 'opening' | 'turn' | 'idle' | 'backoff' | 'closing' | 'over';

/** One run: turns in, events out, and an end under all circumstances. */
export class Run {
  readonly adapter: AgentAdapter;
  readonly mode: AgentMode;
  readonly log: EventLog;
  readonly sequence: Sequencer;
  readonly requests: PendingRequests;
  readonly result: Promise<RunResult>;
  options: ResolvedRunOptions;
  readonly #surroundings: RunSurroundings;
  readonly #fold = new ResultFold();
  readonly #watchdogs: Watchdogs;
  readonly #started = performance.now();
  readonly #listeners: ((event: AgentEvent) => void)[] = [];
  readonly #queue: TurnInput[] = [];
  #phase: Phase = 'opening';
  #driver: Driver | undefined;
  #generation = 0;
  #attempt = 0;
  #current: TurnInput | undefined;
  /** Text or tools have come in this turn: it cannot be repeated unseen. */
  #productive = false;
  #ending = false;
  #interrupting = false;
  #saidInterrupted = false;
  #aborted: { reason?: string } | undefined;
  #openSubagents = 0;
  #exitCode: number | null = null;
  #exitTimer: NodeJS.Timeout | undefined;
  #wakeBackoff: () => void = () => {};
  #turnWaiters: (() => void)[] = [];
  #weight = 0;
  #resolve: (result: RunResult) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(adapter: AgentAdapter, mode: AgentMode, options: ResolvedRunOptions, surroundings: RunSurroundings) {
    this.adapter = adapter;
    this.mode = mode;
    this.options = options;
    this.#surroundings = surroundings;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.result.catch(() => {});
    this.log = new EventLog(() => this.#letFlow());
    const { agent, runId, sessionId, forkSessionId } = options;
    this.sequence = new Sequencer({ agent, runId, resumes: sessionId, forks: forkSessionId }, (event) =>
      this.#publish(event),
    );
    this.requests = new PendingRequests({
      options: () => this.options,
      write: (body) => this.#write(body),
      resolve: (request, answer) => this.#driver?.resolve(request, answer),
      changed: (waiting) => this.#watchdogs.asking(waiting),
    });
    const { timeout = 0, inactivityTimeout = 0, afterToolTimeout = 0 } = options;
    this.#watchdogs = new Watchdogs(
      { run: timeout, inactivity: inactivityTimeout, after_tool: afterToolTimeout },
      (kind, limitMs) => void this.#timedOut(kind, limitMs),
    );
  }

  get text(): string {
    return this.#fold.text;
  }

  /** Begins in a microtask, so that the caller can attach readers first. */
  start(): void {
    queueMicrotask(() => {
      this.#watchdogs.start();
      this.options.signal?.addEventListener('abort', this.#onSignal, { once: true });
      if (this.options.signal?.aborted) this.#onSignal();
      void this.#open({ text: this.options.prompt, attachments: this.options.attachments });
      void this.#takeNotes();
    });
  }

  listen(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at !== -1) this.#listeners.splice(at, 1);
    };
  }

  send(text: string, attachments: readonly Attachment[] = []): void {
    this.#mustBeOpen('send');
    if (!this.mode.capabilities.supportsMultiTurn) throw this.#cannot('send', 'takes one turn only');
    this.#queue.push(this.#input(text, attachments));
    if (this.#phase === 'idle') this.#nextTurn();
  }

  steer(text: string): void {
    this.#mustBeOpen('steer');
    if (!this.mode.capabilities.supportsSteer) throw this.#cannot('steer', 'cannot be steered within a turn');
    if (this.#phase !== 'turn')
      throw new AgentMuxError('RUN_ENDED', 'no turn is running that could be steered', {
        hint: 'use send() for a new turn',
      });
    this.#driver?.steer(this.#input(text, []));
  }

  async interrupt(): Promise<void> {
    this.#mustBeOpen('interrupt');
    if (!this.mode.capabilities.supportsInterrupt)
      throw this.#cannot('interrupt', 'cannot be interrupted', 'abort() ends the run');
    if (this.#phase !== 'turn') return;
    this.#interrupting = true;
    const ended = new Promise<void>((resolve) => this.#turnWaiters.push(resolve));
    this.requests.cancelAll('caller');
    this.#driver?.interrupt();
    const timer = setTimeout(() => void this.#conclude('interrupted', { kill: true }), INTERRUPT_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  }

  async abort(reason?: string): Promise<RunResult> {
    if (this.#phase !== 'over' && !this.#aborted) {
      this.#aborted = { reason };
      this.#wakeBackoff();
      await this.#conclude('aborted', {
        kill: true,
        last: { type: 'aborted', ...(reason === undefined ? {} : { reason }) },
      });
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
  }

  setApprovalMode(mode: ApprovalMode): void {
    this.#mustBeOpen('setApprovalMode');
    const { supportsModeSwitch, approvalModes } = this.mode.capabilities;
    if (!supportsModeSwitch) throw this.#cannot('setApprovalMode', 'cannot change its permissions while it runs');
    if (!approvalModes.includes(mode)) throw this.#cannot('setApprovalMode', `knows ${approvalModes.join(', ')}`);
    this.options = { ...this.options, approvalMode: mode };
    this.#driver?.setApprovalMode(mode);
  }

  // ---- the course of a run ------------------------------------------------------------------------------------------

  readonly #onSignal = () => {
    const { reason } = this.options.signal ?? {};
    void this.abort(reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : undefined);
  };

  async #open(input: TurnInput): Promise<void> {
    const generation = ++this.#generation;
    const current = () => generation === this.#generation && this.#phase !== 'over' && this.#phase !== 'closing';
    try {
      const driver = await this.#surroundings.connect(this, {
        events: (bodies, raw, bytes) => {
          if (current()) this.#receive(bodies, raw, bytes);
        },
        alive: () => this.#watchdogs.sign(),
        ended: (end) => {
          if (current()) this.#driverEnded(end);
        },
      });
      if (!current()) {
        await driver.kill();
        return;
      }
      this.#driver = driver;
      this.#beginTurn(input);
    } catch (error) {
      if (current()) await this.#fail(error);
    }
  }

  #beginTurn(input: TurnInput): void {
    this.#phase = 'turn';
    this.#current = input;
    this.#productive = false;
    this.#interrupting = false;
    this.#saidInterrupted = false;
    clearTimeout(this.#exitTimer);
    this.sequence.beginTurn();
    this.#watchdogs.turn(true);
    try {
      this.#driver!.startTurn(input);
    } catch (error) {
      void this.#fail(error);
    }
  }

  #nextTurn(): void {
    const input = this.#queue.shift();
    if (input) this.#beginTurn(input);
  }

  #receive(bodies: EventBody[], raw: string | undefined, bytes: number): void {
    const shown = this.options.includeRaw ? raw : undefined;
    this.#weight = bytes / bodies.length;
    for (const body of bodies) {
      switch (body.type) {
        case 'text_delta':
        case 'tool_call_start':
        case 'tool_call_ready':
          this.#productive = true;
          break;
        case 'approval_request':
        case 'input_required':
          this.requests.ask(body);
          continue;
        case 'turn_end':
          this.#turnEnded(body);
          continue;
        case 'rate_limit_error':
          this.sequence.write(body, shown);
          if (body.retrying) {
            this.#endLimited(body);
            return;
          }
          continue;
        case 'interrupted':
          if (this.#saidInterrupted) continue;
          this.#saidInterrupted = true;
          break;
        case 'subagent_start':
          this.#openSubagents += 1;
          break;
        case 'subagent_end':
          this.#openSubagents = Math.max(0, this.#openSubagents - 1);
          break;
        case 'error':
        case 'auth_error':
        case 'context_exceeded':
          this.sequence.write(body, shown);
          // The handshake failed: there is no turn whose end would tell.
          if (this.#phase === 'turn' && !this.sequence.turnOpen && failureOf(body)) void this.#finishFailed();
          continue;
      }
      this.sequence.write(body, shown);
    }
    this.#weight = 0;
    if (this.log.full) {
      this.#driver?.pause();
      this.#watchdogs.paused(true);
    }
  }

  #write(body: EventBody): void {
    this.sequence.write(body);
  }

  #publish(event: AgentEvent): void {
    this.#fold.take(event);
    this.log.push(event, this.#weight);
    if (event.type === 'tool_result' || event.type === 'tool_error') {
      this.#watchdogs.tools(this.sequence.openTools > 0 ? 'running' : 'after');
    } else if (event.type === 'tool_call_ready') this.#watchdogs.tools('running');
    else if (event.type === 'text_delta') this.#watchdogs.tools('none');
    for (let i = 0; i < this.#listeners.length; i++) callSafely(this.#listeners[i]!, event);
  }

  #letFlow(): void {
    this.#watchdogs.paused(false);
    this.#driver?.resume();
  }

  #turnEnded(body: Extract<EventBody, { type: 'turn_end' }>): void {
    const interrupted = this.#interrupting && body.status !== 'completed';
    let status = interrupted ? 'interrupted' : body.status;
    let { structured } = body;
    if (interrupted && !this.#saidInterrupted) this.#write({ type: 'interrupted', by: 'caller' });
    if (status === 'failed' && this.#maybeRetry(this.#fold.error?.code ?? 'AGENT_ERROR')) return;
    if (status === 'completed' && this.options.outputSchema) {
      const checked = validateStructured(this.options.outputSchema, structured, this.text);
      structured = checked.value;
      if (checked.problem) {
        this.#write({ type: 'error', code: 'OUTPUT_SCHEMA_ERROR', message: checked.problem, recoverable: false });
        status = 'failed';
      }
    }
    this.requests.cancelAll('agent');
    this.sequence.endTurn(status, {
      ...(structured === undefined ? {} : { structured }),
      ...(body.stopReason === undefined ? {} : { stopReason: body.stopReason }),
    });
    this.#afterTurn();
  }

  #afterTurn(): void {
    if (this.#phase !== 'turn') return;
    this.#watchdogs.turn(false);
    this.#phase = 'idle';
    for (const wake of this.#turnWaiters.splice(0)) wake();
    // A process per turn: its end, not its last word, frees the way. It must not stay for ever, though.
    if (this.#driver?.turnEndsWithProcess) this.#watchExit();
    else if (this.#queue.length > 0) this.#nextTurn();
    else void this.#maybeFinish();
  }

  /** Ends the run, unless a reader or listener sends another turn, or a background task may still wake the agent. */
  async #maybeFinish(): Promise<void> {
    const seen = this.log.length;
    await new Promise((resolve) => setImmediate(resolve));
    await this.log.settled(seen);
    const idle = () => this.#phase === 'idle' && this.log.length === seen;
    if (!idle()) {
      if (this.#phase === 'idle' && this.#queue.length === 0 && !this.sequence.turnOpen) void this.#maybeFinish();
      return;
    }
    if (this.#queue.length > 0) this.#nextTurn();
    else if (this.options.interactive && !this.#ending) return;
    else if (this.#openSubagents > 0) this.#waitForWake(seen);
    else await this.#conclude(this.#fold.reason ?? 'completed', {});
  }

  #waitForWake(seen: number): void {
    const look = () => {
      if (this.#phase !== 'idle') return;
      if (this.log.length !== seen || this.#openSubagents === 0) void this.#maybeFinish();
      else setTimeout(look, WAKE_MS);
    };
    setTimeout(look, WAKE_MS);
  }

  #watchExit(): void {
    clearTimeout(this.#exitTimer);
    if (this.#openSubagents > 0) return;
    const final = this.mode.turnEndIsFinal === true;
    const limit = final ? LINGERING_GRACE_MS : EXIT_GRACE_MS;
    const seen = this.log.length;
    this.#exitTimer = setTimeout(() => {
      if (this.#phase !== 'idle') return;
      // It still talks (a woken background task): not hung.
      if (!final && this.log.length !== seen) this.#watchExit();
      else if (final) void this.#driver?.kill();
      else void this.#timedOut('exit', limit);
    }, limit);
  }

  #driverEnded(end: DriverEnd): void {
    clearTimeout(this.#exitTimer);
    this.#exitCode = end.exit.code;
    if (this.#phase === 'turn' || this.sequence.turnOpen) {
      if (!this.#turnOverWithProcess(end)) return;
    }
    if (this.#driver?.turnEndsWithProcess && this.#phase === 'idle') {
      if (this.#queue.length > 0) this.#nextTurn();
      else void this.#maybeFinish();
      return;
    }
    // The agent left between two turns, by itself.
    if (this.#phase === 'idle') void this.#conclude(this.#fold.reason ?? 'completed', {});
  }

  /** The process ended within a turn. False: the run ends or the turn is repeated, nothing is left to do here. */
  #turnOverWithProcess(end: DriverEnd): boolean {
    const { exit } = end;
    const clean = !exit.spawnError && exit.code === 0;
    const processIsTurn = this.#driver?.turnEndsWithProcess || !this.mode.capabilities.turnCompletion;
    if (this.#interrupting) {
      if (!this.#saidInterrupted) this.#write({ type: 'interrupted', by: 'caller' });
      this.sequence.endTurn('interrupted');
      this.#afterTurn();
      return true;
    }
    if (this.#fold.error) {
      if (this.#maybeRetry(this.#fold.error.code)) return false;
      void this.#finishFailed();
      return false;
    }
    if (clean && processIsTurn) {
      this.#turnEnded({ type: 'turn_end', status: 'completed' });
      return true;
    }
    this.#crashed(end);
    return false;
  }

  #crashed(end: DriverEnd): void {
    const stderr = redactSecrets(end.stderr, this.#surroundings.secrets);
    if (this.#maybeRetry('AGENT_CRASH', describeExit(this.adapter.displayName, end.exit))) return;
    const body = this.#crashBody(end, stderr);
    void this.#conclude('crashed', {
      last: body,
      error: { code: end.exit.spawnError ? 'SPAWN_ERROR' : 'AGENT_CRASH', message: body.message },
    });
  }

  #crashBody(end: DriverEnd, stderr: string): Extract<EventBody, { type: 'crash' }> {
    const { exit } = end;
    const own = exit.spawnError
      ? this.adapter.onSpawnError?.(exit.spawnError)
      : this.adapter.onProcessExit?.(exit.code, exit.signal)[0];
    if (own?.type === 'crash') return { ...own, stderr: own.stderr || stderr };
    const message = describeExit(this.adapter.displayName, exit);
    return { type: 'crash', exitCode: exit.code, signal: exit.signal, stderr, message };
  }

  async #timedOut(kind: 'run' | 'inactivity' | 'after_tool' | 'exit', limitMs: number): Promise<void> {
    if (this.#phase === 'over' || this.#phase === 'closing') return;
    const message = {
      run: `the run took longer than ${limitMs} ms`,
      inactivity: `${this.adapter.displayName} was silent for ${limitMs} ms within a turn`,
      after_tool: `${this.adapter.displayName} was silent for ${limitMs} ms after a tool result`,
      exit: `${this.adapter.displayName} did not exit within ${limitMs} ms after its last event`,
    }[kind];
    const last: EventBody = { type: 'timeout', kind, limitMs, message };
    if (kind === 'exit') {
      await this.#conclude(this.#fold.reason ?? 'completed', { kill: true, last });
      return;
    }
    const hook = kind === 'run' ? undefined : this.adapter.onTimeout?.();
    if (hook && hook.type !== 'timeout') this.#write(hook);
    const reason: ExitReason = kind === 'run' ? 'timeout' : 'inactivity';
    const code: ErrorCode = kind === 'run' ? 'TIMEOUT' : 'INACTIVITY_TIMEOUT';
    await this.#conclude(reason, { kill: true, last, error: { code, message } });
  }

  /** The CLI would go on retrying by itself, for minutes or for ever. Only the engine retries. */
  #endLimited(body: Extract<EventBody, { type: 'rate_limit_error' }>): void {
    if (this.#maybeRetry('RATE_LIMITED', body.message, body.retryAfterMs)) return;
    void this.#finishFailed({ kill: true });
  }

  async #finishFailed(how: { kill?: boolean } = {}): Promise<void> {
    this.requests.cancelAll('agent');
    const { error } = this.#fold;
    this.sequence.endTurn('failed');
    for (const wake of this.#turnWaiters.splice(0)) wake();
    await this.#conclude(reasonOf(error?.code ?? 'AGENT_ERROR'), { ...how, error: error ?? undefined });
  }

  /** True: the turn is being tried again, from the start, in a new process. */
  #maybeRetry(code: ErrorCode, reason: string = code, retryAfterMs?: number): boolean {
    const policy = this.options.retryPolicy;
    const first = this.sequence.turnCount <= 1;
    if (!first || this.#productive || this.#interrupting || this.#aborted) return false;
    if (this.#attempt >= policy.maxRetries || !policy.retryOn.includes(code)) return false;
    this.#attempt += 1;
    const delayMs = retryDelay(policy, this.#attempt, retryAfterMs);
    this.requests.cancelAll('agent');
    this.#write({
      type: 'retry',
      attempt: this.#attempt,
      maxAttempts: policy.maxRetries,
      delayMs,
      reason,
      by: 'engine',
    });
    void this.#retryAfter(delayMs);
    return true;
  }

  async #retryAfter(delayMs: number): Promise<void> {
    this.#phase = 'backoff';
    this.#watchdogs.turn(false);
    this.#generation += 1;
    const old = this.#driver;
    this.#driver = undefined;
    await old?.kill();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.#wakeBackoff = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    if (this.#phase === 'backoff' && this.#current) await this.#open(this.#current);
  }

  /** Nothing could be started, or an adapter refused: the promise rejects, as if the call itself had thrown. */
  async #fail(error: unknown): Promise<void> {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#cleanUp();
    await this.#driver?.kill();
    this.log.end(error);
    this.#reject(error);
  }

  async #conclude(
    reason: ExitReason,
    how: { kill?: boolean; last?: EventBody; error?: RunResult['error'] },
  ): Promise<void> {
    if (this.#phase === 'closing' || this.#phase === 'over') return;
    this.#phase = 'closing';
    this.#watchdogs.stop();
    clearTimeout(this.#exitTimer);
    this.requests.cancelAll(this.#aborted ? 'caller' : 'agent');
    if (how.kill) await this.#driver?.kill();
    const grace = this.mode.turnEndIsFinal ? LINGERING_GRACE_MS : EXIT_GRACE_MS;
    const left = how.kill ? true : ((await this.#driver?.finish(grace)) ?? true);
    if (how.last) this.sequence.write(how.last);
    else if (!left && !this.mode.turnEndIsFinal) {
      const message = `${this.adapter.displayName} did not exit within ${grace} ms after its last event`;
      this.sequence.write({ type: 'timeout', kind: 'exit', limitMs: grace, message });
    }
    const outcome = this.#aborted ? 'aborted' : reason;
    this.sequence.endSession(outcome);
    const error = how.error ?? (outcome === 'completed' || outcome === 'interrupted' ? null : this.#fold.error);
    const result = this.#resultOf(outcome, error);
    this.#phase = 'over';
    this.#cleanUp();
    for (const wake of this.#turnWaiters.splice(0)) wake();
    await this.#surroundings.finished(result);
    this.log.end();
    this.#resolve(result);
  }

  #resultOf(exitReason: ExitReason, error: RunResult['error']): RunResult {
    const { runId, agent, tags = [] } = this.options;
    const { text, model, usage, costUsd, costSource, structured } = this.#fold;
    return {
      runId,
      agent,
      mode: this.mode.name,
      text,
      sessionId: this.sequence.sessionId ?? null,
      model,
      usage,
      costUsd,
      costSource,
      durationMs: Math.round(performance.now() - this.#started),
      exitReason,
      exitCode: this.#exitCode,
      error:
        exitReason === 'aborted' ? { code: 'ABORTED', message: this.#aborted?.reason ?? 'the run was aborted' } : error,
      turnCount: this.sequence.turnCount,
      ...(structured === undefined ? {} : { structured }),
      tags,
    };
  }

  #cleanUp(): void {
    this.#watchdogs.stop();
    clearTimeout(this.#exitTimer);
    this.options.signal?.removeEventListener('abort', this.#onSignal);
  }

  async #takeNotes(): Promise<void> {
    for await (const note of this.#surroundings.notes()) {
      if (this.#phase === 'over') return;
      this.#write(note);
    }
  }

  #input(text: string, attachments: readonly Attachment[]): TurnInput {
    const faults: Fault[] = [];
    const files = attachments.map((file, i) => resolveAttachment(file, this.options.cwd, `attachments[${i}]`, faults));
    if (text.trim() === '' && files.length === 0) faults.push({ field: 'prompt', problem: 'must not be empty' });
    if (faults.length > 0) throw new ValidationError('turn', faults, { agent: this.options.agent });
    return { text, attachments: files };
  }

  #mustBeOpen(call: string): void {
    if (this.#phase !== 'over' && this.#phase !== 'closing') return;
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

/** A listener that throws must not stop the run; its error belongs to the program that it is part of. */
function callSafely(listener: (event: AgentEvent) => void, event: AgentEvent): void {
  try {
    listener(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
