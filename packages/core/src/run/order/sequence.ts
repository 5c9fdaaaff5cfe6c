import type { AgentEvent, EventBody, EventType, ExitReason, TurnStatus } from '../../contract/events.ts';
import { TERMINAL_EVENTS } from '../../contract/events.ts';
import type { ToolKindTable } from '../../contract/tool-kinds.ts';
import { isLine } from '../options/plain-line.ts';
import { BoundedTable } from './bounded-table.ts';
import { CallKinds } from './call-kinds.ts';
import { OpenMessages, OpenRequests, OpenTools } from './open-parts.ts';

export interface SequenceIdentity {
  agent: string;
  runId: string;
  /** What the run resumes or forks, for the events that say so. */
  resumes?: string;
  forks?: string;
  /** What the agent's tools do. */
  toolKinds?: ToolKindTable;
}

/** Before the session has started these wait, up to a number; anything else starts it. */
const WAITS_FOR_SESSION: ReadonlySet<EventType> = new Set<EventType>(['debug', 'log', 'rate_limit_status', 'retry']);
const WAITING_LIMIT = 256;
const WAITING_CHARS = 4 * 1024 * 1024;

/** These belong to the session, or only end what is open: they open no turn. */
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
 * The order of events is a contract, and this is where it is kept, whatever a decoder returns: one `session_start` first,
 * turns that do not overlap, every message, thought, tool call and request closed, one `session_end` last.
 */
export class Sequencer {
  readonly #identity: SequenceIdentity;
  readonly #emit: (event: AgentEvent) => void;
  readonly #now: () => number;
  readonly #messages = new OpenMessages((body) => this.#stamp(body));
  readonly #tools = new OpenTools((body) => this.#stamp(body));
  readonly #requests = new OpenRequests((body) => this.#stamp(body));
  readonly #kinds: CallKinds;
  readonly #subagents = new BoundedTable<string | undefined>();
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
  /** It is gone, and another will be told. */
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

  /** A turn was sent to the agent. Its `turn_start` waits for the session, which often starts with it. */
  beginTurn(): void {
    if (this.#ended || this.#terminal || this.#turnOpen) return;
    this.#turnDue = true;
    if (this.#started) this.#startTurn('user');
  }

  write(body: EventBody, raw?: string): void {
    // Nearly all events: nothing opens or closes, and nothing below has a say in it.
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
    this.#place(body);
    this.#raw = undefined;
  }

  /** Gives an event of a tool its kind; needed by whoever decides on it before it is written. */
  fillKind(body: EventBody): void {
    this.#kinds.fill(body);
  }

  /** An event of another agent-mux, unchanged; one of an older one gets the kind that it lacks. What is written from then on only completes its sequence. */
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

  /** The turn is over, whatever is still open in it. */
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

  /** Everything that is open is closed; then the last event. */
  endSession(reason: ExitReason): void {
    if (this.#ended) return;
    if (!this.#started) this.#startSession({ type: 'session_start' });
    if (!this.#terminal)
      this.#closeSession(reason === 'completed' ? 'completed' : reason === 'interrupted' ? 'interrupted' : 'failed');
    this.#stamp({ type: 'session_end', reason });
    this.#ended = true;
  }

  #place(body: EventBody): void {
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
    // Every event carries it, and somebody may type it: what no option could be is no id.
    const unusable = body.sessionId !== undefined && !isLine(body.sessionId);
    if (unusable) delete body.sessionId;
    if (this.#started) {
      // A second one only tells more: a repeated banner, or the id that was not known before.
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
      const message = 'the agent names its session by what cannot be an id; it is left out';
      this.#stamp({ type: 'debug', level: 'warn', code: 'session_id_left_out', message });
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

  /** Also what goes on between turns: the work of subagents in the background. */
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

  /** The body becomes the event: decoders return fresh objects, and a copy for every delta would cost more than its decoding. */
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
   * All deltas have one shape, whatever shape their decoder gave them: an object that grows field by field is allocated
   * several times, and whoever reads objects of many shapes is slow.
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

/** A subagent in the background works on between the turns of its agent. */
function isOfSubagent(body: EventBody): boolean {
  return 'parentToolCallId' in body && body.parentToolCallId !== undefined;
}
