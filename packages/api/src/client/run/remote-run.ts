import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEvent, ApprovalMode, Attachment, RunError, RunResult } from '@agent-mux/core';
import { AgentMuxError, EventLog, Listeners } from '@agent-mux/core/light';
import type { SessionEvent } from '../../events.ts';
import type { Session } from '../../schemas/session.ts';
import { isProblem } from '../api-error.ts';
import { persist } from '../backoff.ts';
import { answerRequest, listOpenRequests } from './answering.ts';
import { Ending } from './ending.ts';
import { OpenRequests } from './open-requests.ts';
import { describeNote, type RunNote } from './own-notes.ts';
import { resultOf, resultWithoutWord } from './own-results.ts';
import type { RunBeginning, RunHost } from './parts.ts';
import { reasonOf, whenAborted } from './signals.ts';
import { TurnText } from './turn-text.ts';
import { Turns } from './turns.ts';
import { fetchParts, mayLackParts } from './whole-values.ts';

/** The process of a session is gone, and its last line should be there: so long is it waited for. */
const LAST_LINE_MS = 2000;

/** One run of a session that the daemon has: events in, orders out, and one result. */
export class RemoteRun {
  readonly listeners = new Listeners();
  readonly log = new EventLog(() => this.#goOn?.());
  readonly requests: OpenRequests;
  readonly text = new TurnText();
  readonly ending: Ending;
  readonly #host: RunHost;
  readonly #beginning: RunBeginning;
  readonly #turns = new Turns();
  readonly #aborting = new AbortController();
  readonly #startedAt = performance.now();
  /** Resolves when the caller expects no further turn. */
  readonly #last = Promise.withResolvers<void>();
  #isLast = false;
  /** The session was told to end. */
  #isEnding = false;
  #isDeciding = false;
  #session: Session | undefined;
  #newest: AgentEvent | undefined;
  #lastSeq: number;
  /** The result of a launch after which the session may go on. */
  #parked: RunResult | undefined;
  #goOn: (() => void) | undefined;

  constructor(host: RunHost, beginning: RunBeginning) {
    this.#host = host;
    this.#beginning = beginning;
    this.#lastSeq = beginning.after ?? -1;
    this.ending = new Ending((failure) => this.#letGo(failure));
    this.requests = new OpenRequests({
      callbacks: beginning.callbacks,
      send: async (requestId, answer) => {
        const { id } = await this.ending.opened;
        await this.#order(() => answerRequest(host.client, id, requestId, answer));
      },
      note: (what) => this.#note(what),
    });
  }

  get id(): string | undefined {
    return this.#session?.id;
  }

  get runId(): string {
    return this.#newest?.runId ?? this.#beginning.runId;
  }

  get agent(): string {
    return this.#beginning.agent ?? this.#session?.agent ?? '';
  }

  get mode(): string {
    return this.#beginning.mode ?? this.#session?.mode ?? '';
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get nativeId(): string | undefined {
    return this.#newest?.sessionId ?? this.#session?.nativeId ?? undefined;
  }

  /** Begins in a microtask, so that the caller can attach readers first. */
  start(): void {
    const { signal } = this.#beginning;
    queueMicrotask(() => {
      whenAborted(signal, this.ending.over, () => void this.abort(reasonOf(signal)));
      whenAborted(this.#host.closed, this.ending.over, () =>
        this.ending.fail(new AgentMuxError('RUN_ENDED', 'the client was closed; the session goes on')),
      );
      void this.#live().catch((error: unknown) => this.#fail(error));
    });
  }

  async send(prompt: string, attachments: readonly Attachment[] = []): Promise<void> {
    this.#mustBeOpen('send');
    const messageId = randomUUID();
    this.#turns.expect(messageId);
    try {
      const { id } = await this.ending.opened;
      const files = await this.#beginning.upload(attachments);
      const message = { id: messageId, text: prompt, mode: 'queue' as const, files };
      await this.#order(() => this.#host.client.sessions.send(id, message));
    } catch (error) {
      this.#turns.giveUp(messageId);
      void this.#decide();
      throw error;
    }
  }

  async steer(prompt: string): Promise<void> {
    this.#mustBeOpen('steer');
    const { id } = await this.ending.opened;
    const message = { id: randomUUID(), text: prompt, mode: 'steer' as const };
    await this.#order(() => this.#host.client.sessions.send(id, message));
  }

  async interrupt(): Promise<void> {
    this.#mustBeOpen('interrupt');
    const { id } = await this.ending.opened;
    if (!this.#turns.isRunning) return;
    const ended = this.#turns.ended();
    try {
      await this.#order(() => this.#host.client.sessions.interrupt(id));
    } catch (error) {
      if (isProblem(error, 'NO_TURN')) return;
      throw error;
    }
    await ended;
  }

  abort(reason?: string): Promise<RunResult> {
    if (!this.#aborting.signal.aborted && !this.ending.isOver) {
      this.#aborting.abort(reason);
      this.#isEnding = true;
      if (this.#session) void this.#stop(this.#session);
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
    const { id } = await this.ending.opened;
    await this.#order(() => this.#host.client.sessions.change(id, patch));
  }

  async #live(): Promise<void> {
    const { client, patienceMs } = this.#host;
    const { after } = this.#beginning;
    const session = await this.#open();
    if (!session || this.ending.isOver) return;
    this.#session = session;
    if (after !== undefined) {
      this.#turns.startWith(session.activity !== 'idle');
      const open = await this.#order(() => listOpenRequests(client, session.id));
      for (const event of open) if (event.seq <= after) this.requests.take(event);
    }
    this.ending.open(session);
    if (this.#aborting.signal.aborted) void this.#stop(session);
    // One that was told already comes again: it says whether the session waits, or has ended.
    const from = after === undefined ? -1 : Math.max(-1, Math.min(after, session.lastSeq - 1));
    const options = { after: from, patienceMs, signal: this.ending.over };
    for await (const batch of client.sessions.followBatches(session.id, options)) {
      for (const { value, text } of batch)
        this.#take(mayLackParts(text) ? await fetchParts(client, value) : value, text.length);
      if (this.#isCaughtUp()) this.requests.askCaller();
      void this.#decide();
      while (this.log.full && !this.ending.isOver) {
        await new Promise<void>((resolve) => {
          this.#goOn = resolve;
        });
      }
    }
  }

  async #open(): Promise<Session | undefined> {
    const { signal } = this.#aborting;
    try {
      if (!signal.aborted) return await this.#beginning.open(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    this.ending.finish(this.#resultWithoutWord('aborted', this.#abortion));
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
        this.#endLaunch(event.seq, resultOf(event));
        break;
      default:
        this.#parked = undefined;
        this.#turns.take(event);
        if (event.seq > (this.#beginning.after ?? -1)) this.#tell(event, weight);
    }
  }

  #tell(event: AgentEvent, weight: number): void {
    this.#newest = event;
    this.requests.take(event);
    this.#publish(event, weight);
    if (event.type === 'turn_end') this.#turns.wake();
  }

  #publish(event: AgentEvent, weight: number): void {
    this.text.take(event);
    this.log.push(event, weight);
    this.listeners.tell(event);
  }

  /** The process of the session is gone. Its result, or why there is none. */
  #endLaunch(seq: number, how: RunResult | RunError): void {
    this.#turns.endAll();
    this.requests.clear();
    // Of a launch before the one that this handle is about.
    if (!this.#isCaughtUp(seq) || this.#isToGoOn(seq)) return;
    const result = 'exitReason' in how ? how : this.#resultWithoutWord('crashed', how);
    const isWanted = this.#isLast || this.#isEnding || !this.#beginning.interactive;
    if (isWanted || result.exitReason !== 'completed') this.ending.finish(result);
    else this.#parked = result;
  }

  #isCaughtUp(seq: number = this.#lastSeq): boolean {
    return this.#beginning.after === undefined || seq >= (this.#session?.lastSeq ?? -1);
  }

  /** When it was taken up, the session was on its way into another launch. */
  #isToGoOn(seq: number): boolean {
    const session = this.#session;
    if (this.#beginning.after === undefined || session === undefined || seq !== session.lastSeq) return false;
    return session.queuedMessages > 0 || (!session.parked && !session.isTerminated);
  }

  get #isIdle(): boolean {
    const isKnown = this.#session !== undefined && this.#isCaughtUp() && this.#lastSeq >= 0;
    return isKnown && this.#turns.isIdle && !this.#isEnding && !this.ending.isOver;
  }

  /** Ends the run, unless a reader or listener sends another turn, or a background task may still wake the agent. */
  async #decide(): Promise<void> {
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    try {
      while (this.#isIdle) {
        const seen = this.log.length;
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.race([this.log.settled(seen), this.#last.promise]);
        if (!this.#isIdle || this.log.length !== seen) continue;
        if (this.#beginning.interactive && !this.#isLast) return;
        if (this.#parked) return this.ending.finish(this.#parked);
        const wait = this.#isLast ? 0 : this.#turns.wakeMs;
        if (wait === 0) return await this.#park();
        await Promise.race([sleep(wait, undefined, { signal: this.ending.over }), this.#last.promise]);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isDeciding = false;
    }
  }

  async #park(): Promise<void> {
    const { sessions } = this.#host.client;
    const { id } = await this.ending.opened;
    const now = await this.#order(() => sessions.get(id));
    // Somebody else has something to say to it: what comes of that is told, and then it is decided again.
    if (!this.#isIdle || now.queuedMessages > 0 || now.lastSeq > this.#lastSeq) return;
    this.#isEnding = true;
    await this.#orderEnd(() => sessions.park(id), 'completed');
  }

  async #stop({ id }: Session): Promise<void> {
    try {
      await this.#orderEnd(() => this.#host.client.sessions.stop(id), 'aborted');
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The last line of the launch ends the run; where there was no launch, none comes. */
  async #orderEnd(order: () => Promise<Session>, reason: 'completed' | 'aborted'): Promise<void> {
    const { id } = await this.ending.opened;
    await this.#order(order).catch((error: unknown) => {
      if (!isProblem(error, 'SESSION_ENDED')) throw error;
    });
    while (!this.ending.isOver) {
      const before = this.#lastSeq;
      await sleep(LAST_LINE_MS, undefined, { signal: this.ending.over }).catch(() => {});
      if (this.ending.isOver) return;
      const session = await this.#order(() => this.#host.client.sessions.get(id));
      const isQuiet = session.keeperPid === null && this.#lastSeq === before && before >= session.lastSeq;
      const error = reason === 'aborted' ? this.#abortion : null;
      if (isQuiet) this.ending.finish(this.#parked ?? this.#resultWithoutWord(reason, error));
    }
  }

  /** Whatever may be said twice is said until the daemon has heard it. */
  #order<Result>(work: () => Promise<Result>): Promise<Result> {
    return persist(work, { patienceMs: this.#host.patienceMs, signal: this.ending.over });
  }

  get #abortion(): RunError {
    const { reason } = this.#aborting.signal;
    return { code: 'ABORTED', message: typeof reason === 'string' ? reason : 'the run was aborted' };
  }

  #resultWithoutWord(exitReason: RunResult['exitReason'], error: RunError | null): RunResult {
    const { runId, agent, mode } = this;
    const [text, nativeId] = [String(this.text), this.nativeId ?? null];
    const { tags } = this.#beginning;
    const known = { runId, agent, mode, text, nativeId, tags, session: this.#session, startedAt: this.#startedAt };
    return resultWithoutWord(known, exitReason, error);
  }

  #fail(error: unknown): void {
    const removed: RunError = { code: 'ABORTED', message: 'the session was removed' };
    if (this.#session && isProblem(error, 'NOT_FOUND')) this.ending.finish(this.#resultWithoutWord('aborted', removed));
    else this.ending.fail(error);
  }

  #letGo(failure: unknown): void {
    this.requests.clear();
    this.#turns.wake();
    this.log.end(failure);
    this.#goOn?.();
  }

  #mustBeOpen(call: string): void {
    if (!this.#isEnding && !this.ending.isOver) return;
    throw new AgentMuxError('RUN_ENDED', `${call}(): the run has ended`, {
      agent: this.agent,
      hint: 'start a new run with sessionId to go on with the conversation',
    });
  }

  /** Told here alone: it has the place of the event before it. */
  #note(what: RunNote): void {
    if (this.ending.isOver) return;
    const { agent, runId } = this;
    const turnIndex = this.#newest?.turnIndex ?? 0;
    this.#publish({ ...describeNote(what), agent, runId, turnIndex, seq: this.#lastSeq, timestamp: Date.now() }, 0);
  }
}
