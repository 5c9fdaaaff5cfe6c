import type { Request, Session, SessionEvent, SessionLimit } from '@agent-mux/api';
import { type Estimate, redactSecrets } from '@agent-mux/core';
import type { Conversation } from '../sessions/can-continue.ts';
import { requestKey } from '../sessions/ids.ts';
import type { Commit, SessionChange, StoredRequest } from '../store/store.ts';
import { SUMMARY_CHARS } from './hook-change.ts';
import { describeEvent, LastLine, titleOf } from './last-line.ts';
import { projectOf } from './project-of.ts';
import { isProjected, type ProjectedEvent } from './projected-events.ts';
import { type ActivityState, NOT_DELIVERED, reduceActivity, SPAWNING, type ToldLimit } from './reduce-activity.ts';
import { settleEnd } from './settle-end.ts';
import { Tally } from './tally.ts';

export type Projection = Pick<Commit, 'session' | 'requests' | 'requestChanges' | 'messageChanges' | 'usage'>;

export interface Around {
  estimate: Estimate;
  /** What a further process of the session could continue; default `resumable`. */
  conversation?: Conversation;
  /** `2026-11-16`. */
  dayOf(time: number): string;
}

/** What the events of one session mean for its rows. Nothing here knows of processes, sockets or the store. */
export class Projector {
  readonly #session: Pick<Session, 'id' | 'agent' | 'cwd' | 'workspace' | 'turns'>;
  readonly #around: Around;
  readonly #tally: Tally;
  #state: ActivityState = SPAWNING;
  #launch: number;
  #title: string | null;
  #titleIsGiven: boolean;
  #turns: number;
  #nativeId: string | null;
  /** The id under which the session was to go on; null: it was new. */
  #expected: string | null;
  #stranger: string | null = null;
  /** Of messages whose turn has not ended. */
  readonly #accepted = new Map<string, { delivery: 'turn' | 'steer'; text: string }>();
  #hasAccepted = false;
  /** What began the last turn, and whether that has shown anything. */
  #turnOf: string | null = null;
  #showed = false;
  /** Agents of the agent's own that have not ended. */
  #subagents = 0;
  #text = '';
  /** Of the message that is being written; a new one with each message, tool or turn. */
  #line = new LastLine();
  #now: Projection = nothing();

  constructor(session: Session, around: Around) {
    this.#session = session;
    this.#around = around;
    this.#launch = session.launch;
    this.#title = session.title;
    this.#titleIsGiven = session.metadata.titleBy === 'user';
    this.#turns = session.turns;
    this.#nativeId = session.nativeId;
    this.#expected = session.nativeId;
    const { usage, costUsd, costSource } = session;
    this.#tally = new Tally({ usage, costUsd, costSource }, around.estimate);
  }

  get state(): ActivityState {
    return this.#state;
  }

  get nativeId(): string | null {
    return this.#nativeId;
  }

  /** The agent has opened another conversation than the one that it was to go on with. */
  get stranger(): string | null {
    return this.#stranger;
  }

  get conversation(): Conversation {
    return this.#around.conversation ?? 'resumable';
  }

  get agentSessionId(): string | null {
    return this.#nativeId;
  }

  /** The agent has accepted a message, in this launch or an earlier one. */
  get hasConversation(): boolean {
    return this.#nativeId !== null || this.#turns > 0 || this.#hasAccepted;
  }

  get hasBackgroundWork(): boolean {
    return this.#subagents > 0;
  }

  /** Messages that the agent may have got, and whose turn has not ended. */
  get accepted(): readonly string[] {
    return [...this.#accepted.keys()];
  }

  /** What this launch told before: the rows have it, and what follows is understood by it. */
  recall(events: readonly SessionEvent[]): void {
    for (const event of events) this.#take(event);
    this.#now = nothing();
  }

  /** What comes now is new. */
  endRecall(): void {
    this.#tally.endRecall();
    this.#turns = this.#session.turns;
  }

  /** A new process: its totals begin at nothing. */
  startLaunch(launch: number): void {
    this.#launch = launch;
    this.#tally.startLaunch();
  }

  /** The user named it: no event changes that. */
  setTitle(title: string | null): void {
    this.#title = title;
    this.#titleIsGiven = title !== null;
  }

  project(events: readonly SessionEvent[]): Projection {
    this.#now = nothing();
    for (const event of events) this.#take(event);
    const last = events.at(-1);
    if (last) this.#change({ updatedAt: last.timestamp, lastActiveAt: last.timestamp });
    this.#showLine();
    return this.#now;
  }

  #take(event: SessionEvent): void {
    if (!isProjected(event)) return;
    if (event.type === 'text_delta' || event.type === 'tool_call_start') this.#showed = true;
    if (event.type === 'text_delta') {
      if (event.parentToolCallId === undefined) this.#takeText(event.delta);
      if (this.#state.trouble === null) return;
    }
    this.#takeState(event);
    this.#takeFacts(event);
    const usage = this.#tally.take(event);
    if (usage) {
      const { agent } = this.#session;
      const project = projectOf(this.#session);
      const day = this.#around.dayOf(event.timestamp);
      this.#now.usage = [...this.#now.usage, { ...usage, agent, project, day, seq: event.seq }];
      this.#change(this.#tally.sum);
    }
    const line = describeEvent(event);
    if (line === undefined) return;
    this.#line = new LastLine();
    this.#change({ lastLine: redactSecrets(line) });
  }

  #takeText(delta: string): void {
    if (this.#text.length < SUMMARY_CHARS) this.#text += delta;
    this.#line.add(delta);
  }

  #showLine(): void {
    const line = this.#line.value;
    if (line !== undefined) this.#change({ lastLine: redactSecrets(line) });
  }

  /** What is said next is not a continuation of this. */
  #endText(): void {
    this.#showLine();
    this.#line = new LastLine();
    this.#text = '';
  }

  #takeState(event: ProjectedEvent): void {
    const before = this.#state;
    const state = settleEnd(reduceActivity(before, event), event, this);
    if (state === before) return;
    this.#state = state;
    const { activity, parked, isTerminated, error } = state;
    if (activity !== before.activity) this.#change({ activity, activitySince: event.timestamp });
    // With the process goes what it waited for; where the agent said so itself, that is told already.
    if (event.type === 'keeper_lost' || event.type === 'run_result')
      for (const id of [...before.approvals, ...before.questions])
        this.#changeRequest(id, { state: 'cancelled', outcome: 'cancelled', resolvedAt: event.timestamp });
    this.#change({ parked, isTerminated, error });
    // Only then: what becomes of a limit is written into it by others.
    if (state.limit !== before.limit) this.#change({ limit: state.limit && this.#limitOf(state.limit) });
  }

  #takeFacts(event: ProjectedEvent): void {
    if (event.sessionId) this.#takeNativeId(event.sessionId);
    switch (event.type) {
      case 'user_message':
        this.#accepted.set(event.messageId, event);
        this.#hasAccepted = true;
        if (event.delivery === 'turn') this.#beginTurn(event.messageId);
        this.#changeMessage(event.messageId, { state: 'accepted', acceptedAt: event.timestamp });
        if (this.#title === null) this.#nameIt(titleOf(event.text));
        return;
      case 'debug':
        if (event.code === NOT_DELIVERED) this.#takeBack(event);
        return;
      case 'session_start':
        if (event.model !== undefined) this.#change({ model: event.model });
        return;
      case 'title':
        if (!this.#titleIsGiven) this.#nameIt(titleOf(event.title));
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
        if (event.origin === 'agent') this.#beginTurn(null);
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
        this.#takeSummary();
        this.#endText();
        this.#endMessages('done', event.timestamp);
        return;
      case 'approval_request':
      case 'input_required':
        this.#now.requests = [...this.#now.requests, this.#requestOf(event)];
        return;
      case 'approval_resolved':
      case 'input_resolved': {
        const state = event.by === 'timeout' ? 'expired' : event.outcome === 'cancelled' ? 'cancelled' : 'answered';
        const change = { state, outcome: event.outcome, resolvedAt: event.timestamp } as const;
        // A person's name is written with the answer; here it is only known that somebody gave one.
        this.#changeRequest(event.requestId, event.by === 'caller' ? change : { ...change, by: event.by });
        return;
      }
      case 'run_result':
        this.#takeSummary();
        this.#endMessages('done', event.timestamp);
        this.#change({ keeperPid: null, ...(event.model === null ? {} : { model: event.model }) });
        return;
      case 'keeper_lost':
        this.#change({ keeperPid: null });
        this.#endMessages('unknown', event.timestamp);
        return;
    }
  }

  #beginTurn(messageId: string | null): void {
    this.#turnOf = messageId;
    this.#showed = false;
  }

  #limitOf({ id, message, resetsAt, since }: ToldLimit): SessionLimit {
    const told = { id, kind: 'usage', message, resetsAt, since } as const;
    const nothingYet = { state: 'stopped', reason: null, continuesAt: null } as const;
    return { ...told, messageId: this.#turnOf, showed: this.#showed, ...nothingYet };
  }

  /** A session that goes on keeps its id: a new conversation never takes its place in silence. */
  #takeNativeId(id: string): void {
    if (id === this.#nativeId) return;
    if (this.#expected !== null) {
      this.#stranger = id;
      return;
    }
    this.#nativeId = id;
    this.#change({ nativeId: id });
    this.#addMetadata({ agentSessionId: id });
  }

  #takeBack({ data, message, timestamp }: Extract<SessionEvent, { type: 'debug' }>): void {
    const id = String(data?.messageId);
    const delivery = this.#accepted.get(id)?.delivery;
    this.#accepted.delete(id);
    if (this.#accepted.size === 0) this.#hasAccepted = false;
    // The agent has not got it: what was to begin a turn waits for the next one, what was meant for a turn that is over does not.
    if (delivery === 'turn') this.#changeMessage(id, { state: 'queued', acceptedAt: null });
    else this.#changeMessage(id, { state: 'failed', error: { code: 'NO_TURN', message }, endedAt: timestamp });
  }

  #requestOf(event: Extract<SessionEvent, { type: 'approval_request' | 'input_required' }>): StoredRequest {
    const { id: sessionId, agent } = this.#session;
    const kind: Request['kind'] = event.type === 'approval_request' ? 'approval' : 'question';
    return {
      id: requestKey(sessionId, this.#launch, event.requestId),
      sessionId,
      agent,
      launch: this.#launch,
      requestId: event.requestId,
      kind,
      event: { ...event },
      state: 'open',
      outcome: null,
      by: null,
      answer: null,
      laterUntil: null,
      createdAt: event.timestamp,
      resolvedAt: null,
    };
  }

  #nameIt(title: string | null): void {
    if (title === null) return;
    this.#title = title;
    this.#change({ title });
    this.#addMetadata({ title });
  }

  #takeSummary(): void {
    const summary = redactSecrets(this.#text).trim().slice(0, SUMMARY_CHARS);
    if (summary === '') return;
    this.#change({ summary });
    this.#addMetadata({ summary });
  }

  #endMessages(state: 'done' | 'unknown', endedAt: number): void {
    // It was kept word for word as long as it might have to be sent; from now on as everything else that is stored.
    for (const [id, { text }] of this.#accepted) {
      // What a limit has refused may have to be sent once more: `clean-refused.ts` comes back to it.
      const mayBeSentAgain = id === this.#turnOf && this.#state.limit !== null && !this.#showed;
      this.#changeMessage(id, mayBeSentAgain ? { state, endedAt } : { state, text, endedAt });
    }
    this.#accepted.clear();
  }

  #change(change: SessionChange): void {
    Object.assign(this.#now.session, change);
  }

  #addMetadata(more: Readonly<Record<string, string>>): void {
    this.#change({ addMetadata: { ...this.#now.session.addMetadata, ...more } });
  }

  #changeMessage(id: string, change: Commit['messageChanges'][number]['change']): void {
    this.#now.messageChanges = [...this.#now.messageChanges, { id, change }];
  }

  #changeRequest(requestId: string, change: Commit['requestChanges'][number]['change']): void {
    const id = requestKey(this.#session.id, this.#launch, requestId);
    this.#now.requestChanges = [...this.#now.requestChanges, { id, change }];
  }
}

function nothing(): Projection {
  return { session: {}, requests: [], requestChanges: [], messageChanges: [], usage: [] };
}
