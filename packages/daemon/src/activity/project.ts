import type { Request, Session, SessionEvent, SessionLimit } from '@agent-mux/api';
import { type Estimate, redactSecrets } from '@agent-mux/core';
import type { Conversation } from '../sessions/can-continue.ts';
import { requestKey } from '../sessions/ids.ts';
import type { Commit, SessionChange, StoredRequest } from '../store/store.ts';
import { SUMMARY_CHARS } from './hook-change.ts';
import { projectOf } from './project-of.ts';
import { isProjected, type ProjectedEvent } from './projected-events.ts';
import {
  type ActivityState,
  NOT_DELIVERED,
  type ReportedLimit,
  reduceActivity,
  SPAWNING_STATE,
} from './reduce-activity.ts';
import { settleEnd } from './settle-end.ts';
import { describeEvent, LastLine, titleOf } from './status-text.ts';
import { Tally } from './tally.ts';

export type Projection = Pick<Commit, 'session' | 'requests' | 'requestChanges' | 'messageChanges' | 'usage'>;

export interface ProjectionContext {
  estimate: Estimate;
  /** What a later process of the session can continue; default `resumable`. */
  conversation?: Conversation;
  /** `2026-11-16`. */
  dayOf(time: number): string;
}

/** Derives row changes from the events of one session. Knows nothing of processes, sockets or the store. */
export class Projector {
  readonly #session: Pick<Session, 'id' | 'agent' | 'cwd' | 'workspace' | 'turns'>;
  readonly #context: ProjectionContext;
  readonly #tally: Tally;
  #state: ActivityState = SPAWNING_STATE;
  #launch: number;
  #title: string | null;
  #isUserTitle: boolean;
  #turns: number;
  #agentSessionId: string | null;
  /** The agent session id that the launch must resume; null for a new session. */
  #expected: string | null;
  #unexpectedSessionId: string | null = null;
  /** Messages whose turn has not ended. */
  readonly #accepted = new Map<string, { delivery: 'turn' | 'steer'; text: string }>();
  #hasAccepted = false;
  /** The message that started the last turn, and whether that turn has produced output. */
  #turnOf: string | null = null;
  #hadOutput = false;
  /** Number of running subagents. */
  #subagents = 0;
  #text = '';
  /** Last line of the message being written; reset with each message, tool call or turn. */
  #line = new LastLine();
  #pending: Projection = emptyProjection();

  constructor(session: Session, context: ProjectionContext) {
    this.#session = session;
    this.#context = context;
    this.#launch = session.launch;
    this.#title = session.title;
    this.#isUserTitle = session.metadata.titleBy === 'user';
    this.#turns = session.turns;
    this.#agentSessionId = session.agentSessionId;
    this.#expected = session.agentSessionId;
    const { usage, costUsd, costSource } = session;
    this.#tally = new Tally({ usage, costUsd, costSource }, context.estimate);
  }

  get state(): ActivityState {
    return this.#state;
  }

  get agentSessionId(): string | null {
    return this.#agentSessionId;
  }

  /** Id of the conversation that the agent opened instead of the one it had to resume. */
  get unexpectedSessionId(): string | null {
    return this.#unexpectedSessionId;
  }

  get conversation(): Conversation {
    return this.#context.conversation ?? 'resumable';
  }

  /** The agent has accepted a message, in this launch or an earlier one. */
  get hasConversation(): boolean {
    return this.#agentSessionId !== null || this.#turns > 0 || this.#hasAccepted;
  }

  get hasBackgroundWork(): boolean {
    return this.#subagents > 0;
  }

  /** Messages that the agent may have received and whose turn has not ended. */
  get accepted(): readonly string[] {
    return [...this.#accepted.keys()];
  }

  /** Replays events of this launch that the rows already contain, to interpret the events that follow. */
  recall(events: readonly SessionEvent[]): void {
    for (const event of events) this.#apply(event);
    this.#pending = emptyProjection();
  }

  /** Ends the replay; later events are new. */
  endRecall(): void {
    this.#tally.endRecall();
    this.#turns = this.#session.turns;
  }

  /** Starts a new process, whose totals start at zero. */
  startLaunch(launch: number): void {
    this.#launch = launch;
    this.#tally.startLaunch();
  }

  /** Sets a title chosen by the user, which no event overrides. */
  setTitle(title: string | null): void {
    this.#title = title;
    this.#isUserTitle = title !== null;
  }

  project(events: readonly SessionEvent[]): Projection {
    this.#pending = emptyProjection();
    for (const event of events) this.#apply(event);
    const last = events.at(-1);
    if (last) this.#change({ updatedAt: last.timestamp, lastActiveAt: last.timestamp });
    this.#showLine();
    return this.#pending;
  }

  #apply(event: SessionEvent): void {
    if (!isProjected(event)) return;
    if (event.type === 'text_delta' || event.type === 'tool_call_start') this.#hadOutput = true;
    if (event.type === 'text_delta') {
      if (event.parentToolCallId === undefined) this.#addText(event.delta);
      if (this.#state.pendingError === null) return;
    }
    this.#applyState(event);
    this.#applyFacts(event);
    const usage = this.#tally.take(event);
    if (usage) {
      const { agent } = this.#session;
      const project = projectOf(this.#session);
      const day = this.#context.dayOf(event.timestamp);
      this.#pending.usage = [...this.#pending.usage, { ...usage, agent, project, day, seq: event.seq }];
      this.#change(this.#tally.sum);
    }
    const line = describeEvent(event);
    if (line === undefined) return;
    this.#line = new LastLine();
    this.#change({ statusText: redactSecrets(line) });
  }

  #addText(delta: string): void {
    if (this.#text.length < SUMMARY_CHARS) this.#text += delta;
    this.#line.add(delta);
  }

  #showLine(): void {
    const line = this.#line.value;
    if (line !== undefined) this.#change({ statusText: redactSecrets(line) });
  }

  /** Ends the current text; the next text is not a continuation of it. */
  #endText(): void {
    this.#showLine();
    this.#line = new LastLine();
    this.#text = '';
  }

  #applyState(event: ProjectedEvent): void {
    const before = this.#state;
    const state = settleEnd(reduceActivity(before, event), event, this);
    if (state === before) return;
    this.#state = state;
    const { activity, parked, isTerminated, error } = state;
    if (activity !== before.activity) this.#change({ activity, activitySince: event.timestamp });
    // The end of the process cancels its open requests, unless the agent has already reported that.
    if (event.type === 'keeper_lost' || event.type === 'run_result')
      for (const id of [...before.approvals, ...before.questions])
        this.#changeRequest(id, { state: 'cancelled', outcome: 'cancelled', resolvedAt: event.timestamp });
    this.#change({ parked, isTerminated, error });
    // Only when it changes: later states of a limit are written by the governor.
    if (state.limit !== before.limit) this.#change({ limit: state.limit && this.#limitOf(state.limit) });
  }

  #applyFacts(event: ProjectedEvent): void {
    if (event.sessionId) this.#setAgentSessionId(event.sessionId);
    switch (event.type) {
      case 'user_message':
        this.#accepted.set(event.messageId, event);
        this.#hasAccepted = true;
        if (event.delivery === 'turn') this.#startTurn(event.messageId);
        this.#changeMessage(event.messageId, { state: 'accepted', acceptedAt: event.timestamp });
        if (this.#title === null) this.#rename(titleOf(event.text));
        return;
      case 'debug':
        if (event.code === NOT_DELIVERED) this.#undeliver(event);
        return;
      case 'session_start':
        if (event.model !== undefined) this.#change({ model: event.model });
        return;
      case 'title':
        if (!this.#isUserTitle) this.#rename(titleOf(event.title));
        return;
      case 'message_start':
        if (event.parentToolCallId === undefined) this.#endText();
        return;
      case 'message_discard':
        this.#line = new LastLine();
        this.#text = '';
        return;
      case 'turn_start':
        this.#endText();
        if (event.origin === 'agent') this.#startTurn(null);
        return;
      case 'subagent_start':
        this.#subagents += 1;
        return;
      case 'subagent_end':
        this.#subagents = Math.max(0, this.#subagents - 1);
        return;
      case 'turn_end':
        this.#turns += 1;
        this.#change({ turns: this.#turns });
        this.#setSummary();
        this.#endText();
        this.#endMessages('completed', event.timestamp);
        return;
      case 'approval_request':
      case 'input_required':
        this.#pending.requests = [...this.#pending.requests, this.#requestOf(event)];
        return;
      case 'approval_resolved':
      case 'input_resolved': {
        const state = event.by === 'timeout' ? 'expired' : event.outcome === 'cancelled' ? 'cancelled' : 'answered';
        const change = { state, outcome: event.outcome, resolvedAt: event.timestamp } as const;
        // The name of the person is stored with the answer; the event only says that there was one.
        this.#changeRequest(event.requestId, event.by === 'caller' ? change : { ...change, by: event.by });
        return;
      }
      case 'run_result':
        this.#setSummary();
        this.#endMessages('completed', event.timestamp);
        this.#change({ keeperPid: null, ...(event.model === null ? {} : { model: event.model }) });
        return;
      case 'keeper_lost':
        this.#change({ keeperPid: null });
        this.#endMessages('unknown', event.timestamp);
        return;
    }
  }

  #startTurn(messageId: string | null): void {
    this.#turnOf = messageId;
    this.#hadOutput = false;
  }

  #limitOf({ id, message, resetsAt, since }: ReportedLimit): SessionLimit {
    const reported = { id, kind: 'usage', message, resetsAt, since } as const;
    const initial = { state: 'paused', reason: null, continuesAt: null } as const;
    return { ...reported, messageId: this.#turnOf, hadOutput: this.#hadOutput, ...initial };
  }

  /** A resumed session keeps its id, so that a new conversation never silently replaces it. */
  #setAgentSessionId(id: string): void {
    if (id === this.#agentSessionId) return;
    if (this.#expected !== null) {
      this.#unexpectedSessionId = id;
      return;
    }
    this.#agentSessionId = id;
    this.#change({ agentSessionId: id });
    this.#addMetadata({ agentSessionId: id });
  }

  #undeliver({ data, message, timestamp }: Extract<SessionEvent, { type: 'debug' }>): void {
    const id = String(data?.messageId);
    const delivery = this.#accepted.get(id)?.delivery;
    this.#accepted.delete(id);
    if (this.#accepted.size === 0) this.#hasAccepted = false;
    // A message that should have started a turn is queued again; one that steered a finished turn has failed.
    if (delivery === 'turn') this.#changeMessage(id, { state: 'queued', acceptedAt: null });
    else this.#changeMessage(id, { state: 'failed', error: { code: 'NO_ACTIVE_TURN', message }, endedAt: timestamp });
  }

  #requestOf(event: Extract<SessionEvent, { type: 'approval_request' | 'input_required' }>): StoredRequest {
    const { id: sessionId, agent } = this.#session;
    const kind: Request['kind'] = event.type === 'approval_request' ? 'approval' : 'question';
    return {
      id: requestKey(sessionId, this.#launch, event.requestId),
      sessionId,
      agent,
      launch: this.#launch,
      agentRequestId: event.requestId,
      kind,
      event: { ...event },
      state: 'open',
      outcome: null,
      by: null,
      answer: null,
      snoozedUntil: null,
      createdAt: event.timestamp,
      resolvedAt: null,
    };
  }

  #rename(title: string | null): void {
    if (title === null) return;
    this.#title = title;
    this.#change({ title });
    this.#addMetadata({ title });
  }

  #setSummary(): void {
    const summary = redactSecrets(this.#text).trim().slice(0, SUMMARY_CHARS);
    if (summary === '') return;
    this.#change({ summary });
    this.#addMetadata({ summary });
  }

  #endMessages(state: 'completed' | 'unknown', endedAt: number): void {
    // The exact text was stored as long as it might have to be sent; from now on the redacted text is stored.
    for (const [id, { text }] of this.#accepted) {
      // A message refused by a limit may have to be sent again; `clean-up-rejected.ts` redacts it later.
      const mayBeSentAgain = id === this.#turnOf && this.#state.limit !== null && !this.#hadOutput;
      this.#changeMessage(id, mayBeSentAgain ? { state, endedAt } : { state, text, endedAt });
    }
    this.#accepted.clear();
  }

  #change(change: SessionChange): void {
    Object.assign(this.#pending.session, change);
  }

  #addMetadata(more: Readonly<Record<string, string>>): void {
    this.#change({ addMetadata: { ...this.#pending.session.addMetadata, ...more } });
  }

  #changeMessage(id: string, change: Commit['messageChanges'][number]['change']): void {
    this.#pending.messageChanges = [...this.#pending.messageChanges, { id, change }];
  }

  #changeRequest(requestId: string, change: Commit['requestChanges'][number]['change']): void {
    const id = requestKey(this.#session.id, this.#launch, requestId);
    this.#pending.requestChanges = [...this.#pending.requestChanges, { id, change }];
  }
}

function emptyProjection(): Projection {
  return { session: {}, requests: [], requestChanges: [], messageChanges: [], usage: [] };
}
