import type { AgentEvent, EventBody, EventType, ExitReason, TurnStatus } from '../../contract/events.ts';
import { TERMINAL_EVENTS } from '../../contract/events.ts';
import type { ToolKindTable } from '../../contract/tool-kinds.ts';
import { isLine } from '../options/plain-line.ts';
import { BoundedMap } from './bounded-map.ts';
import { CallKinds } from './call-kinds.ts';
import { OpenMessages, OpenRequests, OpenTools } from './open-parts.ts';

export interface SequenceIdentity {
  agent: string;
  runId: string;
  /** The session that the run resumes or forks, for the matching events. */
  resumes?: string;
  forks?: string;
  /** Kinds of the agent's tools. */
  toolKinds?: ToolKindTable;
}

/** Events that wait for the session to start, up to a limit; any other event starts it. */
const WAITS_FOR_SESSION: ReadonlySet<EventType> = new Set<EventType>(['debug', 'log', 'rate_limit_status', 'retry']);
const WAITING_LIMIT = 256;
const WAITING_CHARS = 4 * 1024 * 1024;

/** Events that belong to the session, or only close parts: they open no turn. */
const OPENS_NO_TURN: ReadonlySet<EventType> = new Set<EventType>([
  ...TERMINAL_EVENTS,
  'debug',
  'log',
  'title',
  'rate_limit_status',
  'context_usage',
  'cost',
  'plugin_loaded',
  'skill_loaded',
  'session_start',
  'session_resume',
  'session_fork',
  'turn_end',
  'message_stop',
  'message_discard',
  'thinking_stop',
  'tool_input_delta',
  'tool_output_delta',
  'subagent_end',
  'approval_resolved',
  'input_resolved',
  'interrupted',
  'retry',
  'auth_error',
  'error',
  'rate_limit_error',
  'context_exceeded',
]);

/**
 * Enforces the order of events, which is a contract, whatever a decoder returns: one `session_start` first, turns that
 * do not overlap, every message, thinking block, tool call and request closed, one `session_end` last.
 */
export class Sequencer {
  readonly #identity: SequenceIdentity;
  readonly #emit: (event: AgentEvent) => void;
  readonly #now: () => number;
  readonly #messages = new OpenMessages((body) => this.#stamp(body));
  readonly #tools = new OpenTools((body) => this.#stamp(body));
  readonly #requests = new OpenRequests((body) => this.#stamp(body));
  readonly #kinds: CallKinds;
  readonly #subagents = new BoundedMap<string | undefined>();
  #seq = 0;
  #sessionId: string | undefined;
  #started = false;
  #ended = false;
  #terminal = false;
  #waiting: { body: EventBody; raw: string | undefined }[] = [];
  #waitingChars = 0;
  #turnIndex = 0;
  #turns = 0;
  #turnOpen = false;
  #turnDue = false;
  #raw: string | undefined;
  #passing = false;

  constructor(identity: SequenceIdentity, emit: (event: AgentEvent) => void, now: () => number = Date.now) {
    this.#identity = identity;
    this.#kinds = new CallKinds(identity.toolKinds);
    this.#emit = emit;
    this.#now = now;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }
  /** The session is gone, and another one will be reported. */
  forgetSession(): void {
    this.#sessionId = undefined;
  }
  get turnIndex(): number {
    return this.#turnIndex;
  }
  get turnCount(): number {
    return this.#turns;
  }
  get turnOpen(): boolean {
    return this.#turnOpen || this.#turnDue;
  }
  get count(): number {
    return this.#seq;
  }
  get openTools(): number {
    return this.#tools.size;
  }

  /** Call when a turn was sent to the agent. Its `turn_start` waits for the session, which often starts with it. */
  beginTurn(): void {
    if (this.#ended || this.#terminal || this.#turnOpen) return;
    this.#turnDue = true;
    if (this.#started) this.#startTurn('user');
  }

  write(body: EventBody, raw?: string): void {
    // Nearly all events: text that neither opens nor closes anything.
    if (body.type === 'text_delta' && this.#turnOpen && this.#messages.isSpeaking && !isOfSubagent(body)) {
      this.#emit(this.#stampText(body, raw));
      return;
    }
    if (this.#ended || body.type === 'session_end') return;
    if (this.#terminal && body.type !== 'debug' && body.type !== 'log') return;
    if (this.#passing && (body.type === 'debug' || body.type === 'log')) return;
    this.#raw = raw;
    if (!this.#started && body.type !== 'session_start') {
      if (
        WAITS_FOR_SESSION.has(body.type) &&
        this.#waiting.length < WAITING_LIMIT &&
        this.#waitingChars < WAITING_CHARS
      ) {
        this.#waiting.push({ body, raw });
        this.#waitingChars += (body.type === 'log' ? body.line.length : 0) + (raw?.length ?? 0);
        return;
      }
      this.#startSession({ type: 'session_start' });
    }
    if (!this.#turnOpen && this.#opensTurn(body)) this.#startTurn('agent');
    this.#dispatch(body);
    this.#raw = undefined;
  }

  /** Sets the kind of a tool event, for decisions before it is written. */
  fillKind(body: EventBody): void {
    this.#kinds.fill(body);
  }

  /** Passes an event of another agent-mux unchanged, adding a missing kind. Later writes only complete its sequence. */
  pass(event: AgentEvent): void {
    if (this.#ended) return;
    this.#passing = true;
    this.#started = true;
    this.#turnDue = false;
    this.#waiting = [];
    this.#seq = event.seq + 1;
    this.#sessionId = event.sessionId ?? this.#sessionId;
    this.#turnIndex = event.turnIndex;
    if (event.type === 'turn_start') this.#turns += 1;
    if (event.type === 'turn_start' || event.type === 'turn_end') this.#turnOpen = event.type === 'turn_start';
    if (TERMINAL_EVENTS.has(event.type)) this.#terminal = true;
    if (event.type === 'session_end') this.#ended = true;
    if (!('kind' in event && event.kind)) this.#kinds.fill(event);
    this.#emit(event);
  }

  /** Ends the turn, whatever is still open in it. */
  endTurn(status: TurnStatus, rest: { structured?: unknown; stopReason?: string } = {}, raw?: string): void {
    if (this.#ended || this.#terminal) return;
    if (!this.#started) this.#startSession({ type: 'session_start' });
    if (!this.#turnOpen) return;
    this.#raw = raw;
    this.#closeAll(status === 'interrupted' ? 'interrupted' : 'the turn ended without a result');
    this.#turnOpen = false;
    this.#stamp({ type: 'turn_end', status, ...rest });
    this.#raw = undefined;
  }

  /** Closes all open parts, then emits the last event. */
  endSession(reason: ExitReason): void {
    if (this.#ended) return;
    if (!this.#started) this.#startSession({ type: 'session_start' });
    if (!this.#terminal)
      this.#closeSession(reason === 'completed' ? 'completed' : reason === 'interrupted' ? 'interrupted' : 'failed');
    this.#stamp({ type: 'session_end', reason });
    this.#ended = true;
  }

  #dispatch(body: EventBody): void {
    switch (body.type) {
      case 'text_delta':
        this.#messages.text(body);
        break;
      case 'message_start':
        this.#messages.start(body);
        break;
      case 'message_stop':
        this.#messages.stop(body);
        break;
      case 'message_discard':
        this.#messages.discard(body);
        break;
      case 'thinking_start':
        this.#messages.startThinking(body);
        break;
      case 'thinking_delta':
        this.#messages.thinking(body);
        break;
      case 'thinking_stop':
        this.#messages.stopThinking(body);
        break;
      case 'tool_call_start':
        this.#tools.start(body);
        break;
      case 'tool_input_delta':
        this.#tools.inputDelta(body);
        break;
      case 'tool_output_delta':
        this.#tools.outputDelta(body);
        break;
      case 'tool_call_ready':
        this.#tools.ready(body);
        break;
      case 'tool_result':
      case 'tool_error':
        this.#tools.settle(body);
        break;
      case 'mcp_tool_call_start':
        this.#tools.startMcp(body);
        break;
      case 'mcp_tool_result':
      case 'mcp_tool_error':
        this.#tools.settleMcp(body);
        break;
      case 'approval_request':
      case 'input_required':
        this.#requests.ask(body);
        break;
      case 'approval_resolved':
      case 'input_resolved':
        this.#requests.resolve(body);
        break;
      case 'session_start':
        this.#startSession(body);
        break;
      case 'turn_end': {
        const { type: _type, status, ...rest } = body;
        this.endTurn(status, rest, this.#raw);
        break;
      }
      default:
        if (this.#passes(body)) this.#stamp(body);
    }
  }

  #passes(body: EventBody): boolean {
    switch (body.type) {
      case 'turn_start':
        return false;
      case 'session_resume':
        return this.#identity.resumes === undefined;
      case 'session_fork':
        return this.#identity.forks === undefined;
      case 'interrupted':
        return this.#turnOpen;
      case 'subagent_start':
        if (this.#subagents.has(body.subagentId)) return false;
        for (const [id, call] of this.#subagents.set(body.subagentId, body.toolCallId, body.toolCallId?.length))
          this.#cancelSubagent(id, call);
        return true;
      case 'subagent_end':
        return this.#subagents.delete(body.subagentId);
      case 'crash':
      case 'aborted':
      case 'timeout':
        this.#closeSession(body.type === 'aborted' ? 'interrupted' : 'failed');
        this.#terminal = true;
        return true;
      default:
        return true;
    }
  }

  #startSession(body: Extract<EventBody, { type: 'session_start' }>): void {
    // Every event carries the id, and users may type it: an id that no option could contain is invalid.
    const unusable = body.sessionId !== undefined && !isLine(body.sessionId);
    if (unusable) delete body.sessionId;
    if (this.#started) {
      // A second one only adds information: a repeated banner, or the id that was unknown before.
      if (body.sessionId) this.#sessionId = body.sessionId;
      return;
    }
    this.#started = true;
    const raw = this.#raw;
    const { resumes, forks } = this.#identity;
    this.#sessionId = body.sessionId ?? resumes;
    if (this.#sessionId !== undefined) body.sessionId = this.#sessionId;
    this.#stamp(body);
    this.#raw = undefined;
    if (unusable) {
      const message = 'the agent reported an invalid session id; it was dropped';
      this.#stamp({ type: 'debug', level: 'warn', code: 'session_id_invalid', message });
    }
    if (resumes !== undefined) this.#stamp({ type: 'session_resume', sessionId: resumes });
    if (forks !== undefined) this.#stamp({ type: 'session_fork', fromSessionId: forks, sessionId: this.#sessionId });
    for (const waiting of this.#waiting.splice(0)) {
      this.#raw = waiting.raw;
      this.#stamp(waiting.body);
    }
    this.#raw = undefined;
    if (this.#turnDue) this.#startTurn('user');
    this.#raw = raw;
  }

  #opensTurn(body: EventBody): boolean {
    return !OPENS_NO_TURN.has(body.type) && !isOfSubagent(body) && !this.#tools.isStale(body);
  }

  #startTurn(origin: 'user' | 'agent'): void {
    this.#turnDue = false;
    this.#turnOpen = true;
    this.#turnIndex = this.#turns;
    this.#turns += 1;
    this.#tools.newTurn();
    this.#kinds.forget((toolCallId) => this.#tools.has(toolCallId));
    this.#stamp({ type: 'turn_start', origin });
  }

  #closeAll(why: string): void {
    this.#requests.closeAll();
    this.#tools.closeAll(why);
    this.#messages.closeAll();
  }

  /** Also closes what runs between turns: background subagents. */
  #closeSession(status: TurnStatus): void {
    this.endTurn(status);
    this.#closeAll('the session ended without a result');
    for (const [subagentId, toolCallId] of this.#subagents.entries()) this.#cancelSubagent(subagentId, toolCallId);
    this.#subagents.clear();
  }

  #cancelSubagent(subagentId: string, toolCallId: string | undefined): void {
    this.#stamp({
      type: 'subagent_end',
      subagentId,
      ...(toolCallId === undefined ? {} : { toolCallId }),
      status: 'cancelled',
    });
  }

  /** Turns the body into the event: decoders return fresh objects, and a copy per delta costs more than decoding. */
  #stamp(body: EventBody): void {
    if (body.type === 'text_delta') {
      this.#emit(this.#stampText(body, this.#raw));
      return;
    }
    this.#kinds.fill(body);
    const event = body as AgentEvent;
    event.agent = this.#identity.agent;
    event.runId = this.#identity.runId;
    if (this.#sessionId !== undefined) event.sessionId = this.#sessionId;
    event.turnIndex = this.#turnIndex;
    event.seq = this.#seq++;
    event.timestamp = this.#now();
    if (this.#raw !== undefined) event.raw = this.#raw;
    this.#emit(event);
  }

  /**
   * All deltas get one object shape, whatever their decoder returned: an object that grows field by field is allocated
   * several times, and reading objects of many shapes is slow.
   */
  #stampText(
    { delta, parentToolCallId }: Extract<EventBody, { type: 'text_delta' }>,
    raw: string | undefined,
  ): AgentEvent {
    const { agent, runId } = this.#identity;
    const sessionId = this.#sessionId;
    const turnIndex = this.#turnIndex;
    const seq = this.#seq++;
    const timestamp = this.#now();
    const type = 'text_delta';
    const event: AgentEvent =
      sessionId === undefined
        ? { type, delta, agent, runId, turnIndex, seq, timestamp }
        : { type, delta, agent, runId, sessionId, turnIndex, seq, timestamp };
    if (parentToolCallId !== undefined) event.parentToolCallId = parentToolCallId;
    if (raw !== undefined) event.raw = raw;
    return event;
  }
}

/** A background subagent works between the turns of its agent. */
function isOfSubagent(body: EventBody): boolean {
  return 'parentToolCallId' in body && body.parentToolCallId !== undefined;
}
