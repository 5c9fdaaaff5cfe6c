import type { AgentAdapter, AgentMode } from '../contract/adapter.ts';
import type { ApprovalMode } from '../contract/capabilities.ts';
import { AgentMuxError, CapabilityError } from '../contract/errors.ts';
import type { EventBody } from '../contract/events.ts';
import type { Attachment, ResolvedRunOptions, TurnInput } from '../contract/options.ts';
import type { QuotaStatus } from '../contract/quota.ts';
import type { RunResult } from '../contract/run.ts';
import { estimateCost } from '../models/facts.ts';
import { Connection } from './connection.ts';
import type { DecodeProgress } from './drivers/decode.ts';
import { Ending } from './ending.ts';
import { EventProcessor } from './event-processor.ts';
import { EventLog } from './log/event-log.ts';
import { Listeners } from './log/listeners.ts';
import { resolveTurn } from './options/turn-input.ts';
import { Sequencer } from './ordering/sequence.ts';
import type { RunContext, RunParts } from './parts.ts';
import { Phases } from './phases.ts';
import { Retries } from './retries.ts';
import { BackgroundWork } from './turns/background.ts';
import { PendingRequests } from './turns/requests.ts';
import { ResultFold } from './turns/result.ts';
import { Watchdogs } from './turns/watchdogs.ts';
import { Turns } from './turns.ts';

/**
 * One run: turns in, events out, and an end under all circumstances. Contains the verbs; the work is done by its parts.
 */
export class Run implements RunParts {
  readonly adapter: AgentAdapter;
  readonly mode: AgentMode;
  readonly context: RunContext;
  readonly progress: DecodeProgress = { eventCount: 0, lastEventType: null };
  readonly phases = new Phases();
  readonly listeners = new Listeners();
  readonly background = new BackgroundWork();
  readonly log = new EventLog(() => this.connection.resume());
  readonly fold: ResultFold;
  readonly sequence: Sequencer;
  readonly requests: PendingRequests;
  readonly watchdogs: Watchdogs;
  readonly processor: EventProcessor;
  readonly connection: Connection;
  readonly turns: Turns;
  readonly retries: Retries;
  readonly ending: Ending;
  #options: ResolvedRunOptions;

  constructor(adapter: AgentAdapter, mode: AgentMode, options: ResolvedRunOptions, context: RunContext) {
    this.adapter = adapter;
    this.mode = mode;
    this.#options = options;
    this.context = context;
    this.fold = new ResultFold((model, usage) => estimateCost(adapter.models, model, usage));
    this.processor = new EventProcessor(this);
    this.ending = new Ending(this);
    this.turns = new Turns(this);
    this.retries = new Retries(this);
    this.connection = new Connection(this, (sink) => context.connect(this, sink, this.ending.over));
    const { agent, runId, sessionId, forkSessionId } = options;
    const identity = { agent, runId, resumes: sessionId, forks: forkSessionId, toolKinds: adapter.toolKinds };
    this.sequence = new Sequencer(
      identity,
      (event) => this.processor.publish(event),
      () => this.processor.now,
    );
    this.requests = new PendingRequests({
      options: () => this.#options,
      ...(context.policy ? { policy: context.policy } : {}),
      write: (body, raw) => this.sequence.write(body, raw),
      resolve: (request, answer) => this.connection.driver?.resolve(request, answer),
      undeliverable: (error) => void this.ending.fail(error),
      changed: (waiting) => this.watchdogs.noteAsking(waiting),
    });
    const { timeout = 0, inactivityTimeout = 0, afterToolTimeout = 0 } = options;
    this.watchdogs = new Watchdogs(
      { run: timeout, inactivity: inactivityTimeout, after_tool: afterToolTimeout },
      (kind, limitMs) => void this.ending.timeOut(kind, limitMs),
    );
  }

  /** Current options: model and approval mode may change during the run. */
  get options(): ResolvedRunOptions {
    return this.#options;
  }

  get result(): Promise<RunResult> {
    return this.ending.result;
  }

  get text(): string {
    return this.fold.text;
  }

  /** Limits that the agent has reported so far. */
  get quota(): QuotaStatus | null {
    return this.fold.quota;
  }

  /** Starts in a microtask, so that the caller can attach readers first. */
  start(): void {
    queueMicrotask(() => {
      const { signal, prompt, attachments } = this.#options;
      if (signal?.aborted) this.#abortBySignal();
      if (!this.phases.is('opening')) return;
      signal?.addEventListener('abort', () => this.#abortBySignal(), { once: true, signal: this.ending.over });
      this.watchdogs.start();
      // After the first turn: the checks would only delay the agent.
      void this.connection.open({ text: prompt, attachments }).then(() => this.#emitWarnings());
    });
  }

  note(body: EventBody): void {
    this.sequence.write(body);
  }

  send(text: string, attachments: readonly Attachment[] = []): void {
    this.#mustBeOpen('send');
    if (!this.mode.capabilities.supportsMultiTurn) throw this.#cannot('send', 'takes one turn only');
    this.turns.add(this.#resolveTurn({ text, attachments }));
  }

  steer(text: string): void {
    this.#mustBeOpen('steer');
    if (!this.mode.capabilities.supportsSteer) throw this.#cannot('steer', 'cannot be steered within a turn');
    if (!this.phases.is('turn'))
      throw new AgentMuxError('RUN_ENDED', 'no turn is running', {
        hint: 'use send() to start a turn',
      });
    this.connection.driver?.steer(this.#resolveTurn({ text }));
  }

  async interrupt(): Promise<void> {
    this.#mustBeOpen('interrupt');
    if (!this.mode.capabilities.supportsInterrupt)
      throw this.#cannot('interrupt', 'cannot be interrupted', 'use abort() to end the run');
    if (this.phases.is('turn')) return this.turns.interrupt();
    if (!this.phases.is('opening', 'backoff')) return;
    // Nothing is running that could continue.
    this.retries.stop();
    await this.ending.conclude('interrupted', { kill: true });
  }

  async abort(reason?: string): Promise<RunResult> {
    this.ending.abort(reason);
    return this.result;
  }

  end(): Promise<RunResult> {
    this.turns.endAfterThis();
    return this.result;
  }

  setModel(model: string): void {
    this.#mustBeOpen('setModel');
    if (!this.mode.capabilities.supportsModelSwitch)
      throw this.#cannot('setModel', 'cannot change its model while it runs');
    this.connection.driver?.setModel(model);
    this.#options = { ...this.#options, model };
  }

  setApprovalMode(mode: ApprovalMode): void {
    this.#mustBeOpen('setApprovalMode');
    const { supportsModeSwitch, approvalModes } = this.mode.capabilities;
    if (!supportsModeSwitch) throw this.#cannot('setApprovalMode', 'cannot change its permissions while it runs');
    if (!approvalModes.includes(mode))
      throw this.#cannot('setApprovalMode', `supports only ${approvalModes.join(', ')}`);
    this.connection.driver?.setApprovalMode(mode);
    this.#options = { ...this.#options, approvalMode: mode };
  }

  #abortBySignal(): void {
    const reason: unknown = this.#options.signal?.reason;
    this.ending.abort(reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : undefined);
  }

  async #emitWarnings(): Promise<void> {
    if (this.phases.isEnding) return;
    for await (const body of this.context.notes()) this.note(body);
  }

  #mustBeOpen(call: string): void {
    if (!this.phases.isEnding) return;
    throw new AgentMuxError('RUN_ENDED', `${call}(): the run has ended`, {
      agent: this.#options.agent,
      hint: 'start a new run with sessionId to continue the conversation',
    });
  }

  #resolveTurn(input: { text: string; attachments?: readonly Attachment[] }): TurnInput {
    return resolveTurn({ adapter: this.adapter, mode: this.mode, options: this.#options }, input);
  }

  #cannot(option: string, what: string, hint?: string): CapabilityError {
    const { displayName, agent } = this.adapter;
    return new CapabilityError(agent, option, `${displayName} in mode "${this.mode.name}" ${what}`, hint);
  }
}
