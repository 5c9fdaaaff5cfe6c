import { randomUUID } from 'node:crypto';
import type { AgentEvent, ApprovalMode, Attachment, RunError, RunResult } from '@agent-mux/core';
import { AgentMuxError, EventLog, Listeners } from '@agent-mux/core/light';
import type { SessionEvent } from '../../events.ts';
import type { Session } from '../../schemas/session.ts';
import { isProblem } from '../api-error.ts';
import type { SessionCalls } from '../session-calls.ts';
import { answerRequest, listOpenRequests } from './answering.ts';
import { mayHaveBlobs, resolveBlobs } from './blob-values.ts';
import { CatchUp } from './catch-up.ts';
import { type ClientNotice, noticeEvent, undelivered } from './client-events.ts';
import { resultOf, resultWithoutReply } from './client-result.ts';
import { CommandQueue } from './command-queue.ts';
import { Ending } from './ending.ts';
import { OpenRequests } from './open-requests.ts';
import type { OpenedSession, RunHost, RunStart } from './parts.ts';
import { reasonOf, whenAborted } from './signals.ts';
import { TurnText } from './turn-text.ts';
import { Turns } from './turns.ts';

const BUSY: ReadonlySet<Session['activity']> = new Set(['spawning', 'active', 'waiting_input', 'blocked']);

/** One run of a daemon session: receives events, sends commands, and has one result. */
export class RemoteRun {
  readonly listeners = new Listeners();
  readonly log = new EventLog(() => this.#wakeUp?.());
  readonly requests: OpenRequests;
  readonly text = new TurnText();
  readonly ending: Ending;
  readonly #host: RunHost;
  readonly #start: RunStart;
  readonly #orders: CommandQueue;
  readonly #turns = new Turns();
  readonly #catchUp = new CatchUp(() => this.#look());
  readonly #aborting = new AbortController();
  readonly #startedAt = performance.now();
  /** Resolves when the caller expects no further turn. */
  readonly #last = Promise.withResolvers<void>();
  #isLast = false;
  /** The session is being stopped. */
  #isEnding = false;
  #isDeciding = false;
  #isToDecide = false;
  #session: Session | undefined;
  #newest: AgentEvent | undefined;
  #lastSeq: number;
  /** Result of a launch after which the session may continue. */
  #parked: RunResult | undefined;
  #wakeUp: (() => void) | undefined;

  constructor(host: RunHost, start: RunStart) {
    this.#host = host;
    this.#start = start;
    this.#lastSeq = start.after ?? -1;
    this.ending = new Ending((failure) => this.#letGo(failure));
    this.#orders = new CommandQueue(host, this.ending);
    this.requests = new OpenRequests({
      callbacks: start.callbacks,
      send: (requestId, answer) => this.#orders.give((_, id) => answerRequest(host.client, id, requestId, answer)),
      note: (what) => this.#note(what),
    });
  }

  get id(): string | undefined {
    return this.#session?.id;
  }

  get runId(): string {
    return this.#newest?.runId ?? this.#start.runId;
  }

  get agent(): string {
    return this.#start.agent ?? this.#session?.agent ?? '';
  }

  get mode(): string {
    return this.#start.mode ?? this.#session?.mode ?? '';
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get agentSessionId(): string | undefined {
    return this.#newest?.sessionId ?? this.#session?.agentSessionId ?? undefined;
  }

  /** Starts in a microtask, so that the caller can attach readers first. */
  start(): void {
    const { signal } = this.#start;
    queueMicrotask(() => {
      whenAborted(signal, this.ending.over, () => void this.abort(reasonOf(signal)));
      whenAborted(this.#host.closed, this.ending.over, () =>
        this.ending.fail(new AgentMuxError('RUN_ENDED', 'the client was closed; the session keeps running')),
      );
      void this.#live().catch((error: unknown) => this.#fail(error));
    });
  }

  async send(prompt: string, attachments: readonly Attachment[] = []): Promise<void> {
    this.#mustBeOpen('send');
    const messageId = randomUUID();
    this.#turns.expect(messageId);
    try {
      await this.ending.opened;
      const files = await this.#start.upload(attachments);
      const message = { id: messageId, text: prompt, mode: 'queue' as const, files };
      await this.#orders.give((sessions, id) => sessions.send(id, message));
    } catch (error) {
      this.#turns.giveUp(messageId);
      void this.#decide();
      throw error;
    }
    void this.#seeDelivered(messageId).catch((error: unknown) => this.#fail(error));
  }

  async steer(prompt: string): Promise<void> {
    this.#mustBeOpen('steer');
    const message = { id: randomUUID(), text: prompt, mode: 'steer' as const };
    await this.#orders.give((sessions, id) => sessions.send(id, message));
  }

  async interrupt(): Promise<void> {
    this.#mustBeOpen('interrupt');
    await this.ending.opened;
    if (!this.#turns.isRunning) return;
    const ended = this.#turns.ended();
    try {
      await this.#orders.give((sessions, id) => sessions.interrupt(id));
    } catch (error) {
      if (isProblem(error, 'NO_ACTIVE_TURN')) return;
      throw error;
    }
    await ended;
  }

  abort(reason?: string): Promise<RunResult> {
    if (!this.#aborting.signal.aborted && !this.ending.isOver) {
      this.#aborting.abort(reason);
      this.#isEnding = true;
      if (this.#session) void this.#stop();
    }
    return this.ending.result;
  }

  end(): Promise<RunResult> {
    this.#isLast = true;
    this.#last.resolve();
    void this.#decide();
    return this.ending.result;
  }

  async change(verb: string, patch: { model?: string; approvalMode?: ApprovalMode }): Promise<void> {
    this.#mustBeOpen(verb);
    await this.#orders.give((sessions, id) => sessions.update(id, patch));
  }

  async #live(): Promise<void> {
    const { client, patienceMs } = this.#host;
    const { after } = this.#start;
    const opened = await this.#open();
    if (!opened || this.ending.isOver) return;
    const { session, from } = opened;
    this.#session = session;
    this.#lastSeq = Math.max(this.#lastSeq, from);
    if (after !== undefined) {
      this.#catchUp.start(session);
      this.#turns.startWith(BUSY.has(session.activity));
      const open = await listOpenRequests(client, session.id);
      for (const event of open) if (event.seq <= after) this.requests.take(event);
    }
    this.ending.open(session);
    if (this.#aborting.signal.aborted) void this.#stop();
    const options = { after: from, patienceMs, signal: this.ending.over };
    this.#catchUp.expectMore(this.#lastSeq);
    for await (const batch of client.sessions.followBatches(session.id, options)) {
      for (const { value, text } of batch)
        this.#take(mayHaveBlobs(text) ? await resolveBlobs(client, value) : value, text.length);
      this.#look();
      while (this.log.full && !this.ending.isOver) {
        await new Promise<void>((resolve) => {
          this.#wakeUp = resolve;
        });
      }
    }
  }

  #look(): void {
    this.#catchUp.expectMore(this.#lastSeq);
    if (!this.#catchUp.isDoneAt(this.#lastSeq)) return;
    this.requests.askCaller();
    void this.#decide();
  }

  async #open(): Promise<OpenedSession | undefined> {
    const { signal } = this.#aborting;
    try {
      if (!signal.aborted) return await this.#start.open(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    this.ending.finish(this.#resultWithoutLastLine('aborted', this.#abortion));
    return undefined;
  }

  #take(event: SessionEvent, weight: number): void {
    if (this.ending.isOver) return;
    this.#lastSeq = Math.max(this.#lastSeq, event.seq);
    switch (event.type) {
      case 'user_message':
        this.#turns.accept(event.messageId, event.delivery);
        break;
      case 'keeper_lost':
        this.#endLaunch(event.seq, { code: 'AGENT_CRASH', message: event.message });
        break;
      case 'run_result':
        this.#endLaunch(event.seq, this.#withCallerReason(resultOf(event)));
        break;
      default:
        this.#parked = undefined;
        this.#turns.take(event);
        if (event.seq > (this.#start.after ?? -1)) this.#emit(event, weight);
    }
  }

  #emit(event: AgentEvent, weight: number): void {
    this.#newest = event;
    this.requests.take(event);
    this.#publish(event, weight);
    if (event.type === 'turn_end') this.#turns.wake();
  }

  #publish(event: AgentEvent, weight: number): void {
    this.text.take(event);
    this.log.push(event, weight);
    this.listeners.emit(event);
  }

  /** The process of the session is gone: `how` is its result or an error. */
  #endLaunch(seq: number, how: RunResult | RunError): void {
    this.#turns.endAll();
    this.requests.clear();
    // A launch before the one of this handle.
    if (!this.#catchUp.isDoneAt(seq) || this.#catchUp.continuesAfter(seq)) return;
    const result = 'exitReason' in how ? how : this.#resultWithoutLastLine('crashed', how);
    const isWanted = this.#isLast || this.#isEnding || !this.#start.interactive;
    if (isWanted || result.exitReason !== 'completed') this.ending.finish(result);
    else this.#parked = result;
  }

  get #isIdle(): boolean {
    const isKnown = this.#session !== undefined && this.#catchUp.isDoneAt(this.#lastSeq) && this.#lastSeq >= 0;
    return isKnown && this.#turns.isIdle && !this.#isEnding && !this.ending.isOver;
  }

  /** Checks whether the run is over; called after anything that may end it. */
  async #decide(): Promise<void> {
    this.#isToDecide = true;
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    try {
      while (this.#isToDecide) {
        this.#isToDecide = false;
        await this.#finishUnlessWanted();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isDeciding = false;
    }
  }

  /** Ends the run, unless a reader or listener sends another turn or a background task may still wake the agent. */
  async #finishUnlessWanted(): Promise<void> {
    while (this.#isIdle) {
      const seen = this.log.length;
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.race([this.log.settled(seen), this.#last.promise]);
      if (!this.#isIdle || this.log.length !== seen) continue;
      if (this.#start.interactive && !this.#isLast) return;
      if (this.#parked) return this.ending.finish(this.#parked);
      const wait = this.#isLast ? 0 : this.#turns.wakeMs;
      if (wait === 0) return this.#park();
      await Promise.race([this.#orders.rest(wait), this.#last.promise]);
    }
  }

  async #park(): Promise<void> {
    for (let isQuiet = false; !isQuiet; ) {
      const { queuedMessages, lastSeq } = await this.#orders.look();
      // Another client has sent a message: its turn is emitted, then this is checked again.
      if (!this.#isIdle || queuedMessages > 0) return;
      isQuiet = lastSeq <= this.#lastSeq || (await this.#orders.lookUntilQuiet(() => this.#lastSeq)) !== undefined;
    }
    if (!this.#isIdle) return;
    this.#isEnding = true;
    await this.#orderEnd((sessions, id) => sessions.park(id), 'completed');
  }

  async #stop(): Promise<void> {
    try {
      await this.#orderEnd((sessions, id) => sessions.stop(id), 'aborted');
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The last line of the launch ends the run; without a launch there is none. */
  async #orderEnd(
    order: (sessions: SessionCalls, id: string) => Promise<Session>,
    reason: 'completed' | 'aborted',
  ): Promise<void> {
    await this.#orders.give(order).catch((error: unknown) => {
      if (!isProblem(error, 'SESSION_ENDED')) throw error;
    });
    const error = reason === 'aborted' ? this.#abortion : null;
    while (!this.ending.isOver) {
      const session = await this.#orders.lookUntilQuiet(() => this.#lastSeq);
      if (session?.keeperPid === null) this.ending.finish(this.#parked ?? this.#resultWithoutLastLine(reason, error));
    }
  }

  /** A queued message may be rejected or cancelled later without an event. */
  async #seeDelivered(messageId: string): Promise<void> {
    while (this.#turns.isExpected(messageId) && (await this.#orders.rest())) {
      if (this.#turns.isRunning) continue;
      const message = await this.#orders.findMessage(messageId);
      if (message?.state === 'queued' || !this.#turns.isExpected(messageId)) continue;
      this.#turns.giveUp(messageId);
      if (message?.state !== 'accepted' && message?.state !== 'completed') this.#note({ error: undelivered(message) });
      void this.#decide();
    }
  }

  get #abortion(): RunError {
    const { reason } = this.#aborting.signal;
    return { code: 'ABORTED', message: typeof reason === 'string' ? reason : 'the run was aborted' };
  }

  /** The daemon knows who stopped it; the caller knows why. */
  #withCallerReason(result: RunResult): RunResult {
    const isOwn = this.#aborting.signal.aborted && result.exitReason === 'aborted';
    return isOwn ? { ...result, error: this.#abortion } : result;
  }

  #resultWithoutLastLine(exitReason: RunResult['exitReason'], error: RunError | null): RunResult {
    const { runId, agent, mode } = this;
    const [text, agentSessionId] = [String(this.text), this.agentSessionId ?? null];
    const { tags } = this.#start;
    const known = {
      runId,
      agent,
      mode,
      text,
      agentSessionId,
      tags,
      session: this.#session,
      startedAt: this.#startedAt,
    };
    return resultWithoutReply(known, exitReason, error);
  }

  #fail(error: unknown): void {
    const removed: RunError = { code: 'ABORTED', message: 'the session was removed' };
    if (this.#session && isProblem(error, 'NOT_FOUND'))
      this.ending.finish(this.#resultWithoutLastLine('aborted', removed));
    else this.ending.fail(error);
  }

  #letGo(failure: unknown): void {
    this.requests.clear();
    this.#catchUp.stop();
    this.#turns.wake();
    this.log.end(failure);
    this.#wakeUp?.();
  }

  #mustBeOpen(call: string): void {
    if (!this.#isEnding && !this.ending.isOver) return;
    throw new AgentMuxError('RUN_ENDED', `${call}(): the run has ended`, {
      agent: this.agent,
      hint: 'start a new run with sessionId to continue the conversation',
    });
  }

  /** Emitted locally only, with the seq of the previous event. */
  #note(what: ClientNotice): void {
    if (this.ending.isOver) return;
    const { agent, runId } = this;
    const turnIndex = this.#newest?.turnIndex ?? 0;
    this.#publish({ ...noticeEvent(what), agent, runId, turnIndex, seq: this.#lastSeq, timestamp: Date.now() }, 0);
  }
}
