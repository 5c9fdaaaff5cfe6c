import type { AgentEvent, EventBody, EventType, ExitReason, TurnStatus } from '../contract/events.ts';
import { TERMINAL_EVENTS } from '../contract/events.ts';

export interface SequenceIdentity {
  agent: string;
  runId: string;
  /** What the run resumes or forks, for the events that say so. */
  resumes?: string;
  forks?: string;
}

interface OpenTool {
  name: string;
  ready: boolean;
  mcpServer?: string;
  parent?: string;
}

/** Before the session has started only these wait; anything else starts it. */
const WAITS_FOR_SESSION: ReadonlySet<EventType> = new Set<EventType>(['debug', 'log', 'rate_limit_status', 'retry']);
/** These belong to the session, not to a turn: they neither open one nor need one. */
const OUTSIDE_TURNS: ReadonlySet<EventType> = new Set<EventType>([
  'debug',
  'log',
  'title',
  'rate_limit_status',
  'context_usage',
  'cost',
  'plugin_loaded',
  'skill_loaded',
  'session_resume',
  'session_fork',
  'approval_resolved',
  'input_resolved',
  'auth_error',
  'error',
  'rate_limit_error',
  'context_exceeded',
]);

/**
 * The order of events is a contract, and this is where it is kept, whatever a decoder returns: one `session_start` first,
 * turns that do not overlap, every message, thought and tool call closed, one `session_end` last.
 */
export class Sequencer {
  readonly #identity: SequenceIdentity;
  readonly #emit: (event: AgentEvent) => void;
  readonly #now: () => number;
  #seq = 0;
  #sessionId: string | undefined;
  #started = false;
  #ended = false;
  #terminal = false;
  #waiting: EventBody[] = [];
  #turnIndex = 0;
  #turns = 0;
  #turnOpen = false;
  #turnDue = false;
  #messageOpen = false;
  #thinkingOpen = false;
  /** Messages and thoughts of subagents, by their parent tool call. */
  readonly #nested = new Map<string, { message: boolean; thinking: boolean }>();
  readonly #tools = new Map<string, OpenTool>();
  readonly #subagents = new Map<string, string | undefined>();
  #raw: string | undefined;

  constructor(identity: SequenceIdentity, emit: (event: AgentEvent) => void, now: () => number = Date.now) {
    this.#identity = identity;
    this.#emit = emit;
    this.#now = now;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
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
    this.#turnDue = true;
    if (this.#started) this.#startTurn('user');
  }

  write(body: EventBody, raw?: string): void {
    if (this.#ended) return;
    this.#raw = raw;
    if (this.#terminal && body.type !== 'debug' && body.type !== 'log') return;
    if (!this.#started && body.type !== 'session_start') {
      if (WAITS_FOR_SESSION.has(body.type)) {
        this.#waiting.push(body);
        return;
      }
      this.#startSession({ type: 'session_start' });
    }
    if (!this.#turnOpen && !OUTSIDE_TURNS.has(body.type) && body.type !== 'session_start' && body.type !== 'turn_end') {
      if (!TERMINAL_EVENTS.has(body.type)) this.#startTurn(this.#turnDue ? 'user' : 'agent');
    }
    this.#place(body);
  }

  /** The turn is over, whatever is still open in it. */
  endTurn(status: TurnStatus, rest: { structured?: unknown; stopReason?: string } = {}): void {
    if (this.#ended || this.#terminal) return;
    if (!this.#started) this.#startSession({ type: 'session_start' });
    if (this.#turnDue) this.#startTurn('user');
    if (!this.#turnOpen) return;
    this.#closeAll(status === 'interrupted' ? 'interrupted' : 'the turn ended without a result');
    this.#turnOpen = false;
    this.#stamp({ type: 'turn_end', status, ...rest });
  }

  /** Everything that is open is closed; then the last event. */
  endSession(reason: ExitReason): void {
    if (this.#ended) return;
    if (!this.#started) this.#startSession({ type: 'session_start' });
    this.endTurn(reason === 'completed' ? 'completed' : reason === 'interrupted' ? 'interrupted' : 'failed');
    this.#stamp({ type: 'session_end', reason });
    this.#ended = true;
  }

  #place(body: EventBody): void {
    switch (body.type) {
      case 'text_delta':
        if (body.parentToolCallId !== undefined) this.#openNested(body.parentToolCallId, 'message');
        else if (!this.#messageOpen) this.#openMessage();
        break;
      case 'session_start':
        this.#startSession(body);
        return;
      case 'session_end':
        return;
      case 'turn_start':
        return;
      case 'turn_end':
        this.endTurn(body.status, { structured: body.structured, stopReason: body.stopReason });
        return;
      case 'message_start':
        if (!this.#messageStart(body.parentToolCallId)) return;
        break;
      case 'message_stop':
        if (!this.#messageStop(body.parentToolCallId)) return;
        break;
      case 'thinking_start':
        this.#openThinking(body.parentToolCallId, false);
        break;
      case 'thinking_delta':
        this.#openThinking(body.parentToolCallId, true);
        break;
      case 'thinking_stop':
        if (!this.#thinkingStop(body.parentToolCallId)) return;
        break;
      case 'tool_call_start':
        if (this.#tools.has(body.toolCallId)) return;
        this.#tools.set(body.toolCallId, { name: body.toolName, ready: false, parent: body.parentToolCallId });
        break;
      case 'tool_input_delta':
      case 'tool_output_delta':
        if (!this.#tools.has(body.toolCallId)) return;
        break;
      case 'tool_call_ready':
        this.#openTool(body.toolCallId, body.toolName, body.parentToolCallId);
        if (this.#tools.get(body.toolCallId)!.ready) return;
        this.#tools.get(body.toolCallId)!.ready = true;
        break;
      case 'mcp_tool_call_start':
        if (this.#tools.has(body.toolCallId)) return;
        this.#tools.set(body.toolCallId, { name: body.toolName, ready: true, mcpServer: body.server });
        break;
      case 'tool_result':
      case 'tool_error':
        this.#openTool(body.toolCallId, body.toolName, body.parentToolCallId);
        this.#readyTool(body.toolCallId);
        this.#tools.delete(body.toolCallId);
        break;
      case 'mcp_tool_result':
      case 'mcp_tool_error':
        if (!this.#tools.delete(body.toolCallId)) return;
        break;
      case 'subagent_start':
        if (this.#subagents.has(body.subagentId)) return;
        this.#subagents.set(body.subagentId, body.toolCallId);
        break;
      case 'subagent_end':
        if (!this.#subagents.delete(body.subagentId)) return;
        break;
      case 'crash':
      case 'aborted':
      case 'timeout':
        this.endTurn(body.type === 'aborted' ? 'interrupted' : 'failed');
        this.#terminal = true;
        break;
    }
    this.#stamp(body);
  }

  #startSession(body: Extract<EventBody, { type: 'session_start' }>): void {
    if (this.#started) {
      // A second one only tells more: a repeated banner, or the id that was not known before.
      if (body.sessionId) this.#sessionId = body.sessionId;
      return;
    }
    this.#started = true;
    const raw = this.#raw;
    this.#sessionId = body.sessionId ?? this.#identity.resumes;
    if (this.#sessionId !== undefined) body.sessionId = this.#sessionId;
    this.#stamp(body);
    this.#raw = undefined;
    if (this.#identity.resumes) this.#stamp({ type: 'session_resume', sessionId: this.#identity.resumes });
    if (this.#identity.forks)
      this.#stamp({ type: 'session_fork', fromSessionId: this.#identity.forks, sessionId: this.#sessionId });
    for (const waiting of this.#waiting.splice(0)) this.#stamp(waiting);
    if (this.#turnDue) this.#startTurn('user');
    this.#raw = raw;
  }

  #startTurn(origin: 'user' | 'agent'): void {
    if (this.#turnOpen) return;
    this.#turnDue = false;
    this.#turnOpen = true;
    this.#turnIndex = this.#turns;
    this.#turns += 1;
    this.#stamp({ type: 'turn_start', origin });
  }

  #messageStart(parent: string | undefined): boolean {
    if (parent !== undefined) {
      const nested = this.#nestedOf(parent);
      const fresh = !nested.message;
      nested.message = true;
      return fresh;
    }
    if (this.#messageOpen) this.#closeMessage();
    this.#messageOpen = true;
    return true;
  }

  #messageStop(parent: string | undefined): boolean {
    if (parent !== undefined) {
      const nested = this.#nested.get(parent);
      if (!nested?.message) return false;
      this.#thinkingStopAndSay(parent);
      nested.message = false;
      return true;
    }
    if (!this.#messageOpen) return false;
    if (this.#thinkingOpen) this.#thinkingStopAndSay(undefined);
    this.#messageOpen = false;
    return true;
  }

  #openMessage(): void {
    if (this.#thinkingOpen) this.#thinkingStopAndSay(undefined);
    this.#messageOpen = true;
    this.#stamp({ type: 'message_start' });
  }

  #closeMessage(): void {
    if (this.#thinkingOpen) this.#thinkingStopAndSay(undefined);
    this.#messageOpen = false;
    this.#stamp({ type: 'message_stop' });
  }

  #openThinking(parent: string | undefined, say: boolean): void {
    if (parent !== undefined) {
      const nested = this.#nestedOf(parent);
      if (!nested.thinking && say) this.#stamp({ type: 'thinking_start', parentToolCallId: parent });
      nested.thinking = true;
      return;
    }
    if (this.#thinkingOpen) {
      if (!say) this.#thinkingStopAndSay(undefined);
      else return;
    }
    if (!this.#messageOpen) this.#openMessage();
    this.#thinkingOpen = true;
    if (say) this.#stamp({ type: 'thinking_start' });
  }

  #thinkingStop(parent: string | undefined): boolean {
    if (parent !== undefined) {
      const nested = this.#nested.get(parent);
      const open = nested?.thinking ?? false;
      if (nested) nested.thinking = false;
      return open;
    }
    const open = this.#thinkingOpen;
    this.#thinkingOpen = false;
    return open;
  }

  #thinkingStopAndSay(parent: string | undefined): void {
    if (this.#thinkingStop(parent))
      this.#stamp({ type: 'thinking_stop', ...(parent === undefined ? {} : { parentToolCallId: parent }) });
  }

  #openNested(parent: string, what: 'message'): void {
    const nested = this.#nestedOf(parent);
    if (nested.thinking) this.#thinkingStopAndSay(parent);
    if (nested[what]) return;
    nested[what] = true;
    this.#stamp({ type: 'message_start', parentToolCallId: parent });
  }

  #nestedOf(parent: string): { message: boolean; thinking: boolean } {
    let nested = this.#nested.get(parent);
    if (!nested) {
      nested = { message: false, thinking: false };
      this.#nested.set(parent, nested);
    }
    return nested;
  }

  #openTool(id: string, name: string, parent: string | undefined): void {
    if (this.#tools.has(id)) return;
    this.#tools.set(id, { name, ready: false, parent });
    this.#stamp({
      type: 'tool_call_start',
      toolCallId: id,
      toolName: name,
      ...(parent === undefined ? {} : { parentToolCallId: parent }),
    });
  }

  #readyTool(id: string): void {
    const tool = this.#tools.get(id)!;
    if (tool.ready) return;
    tool.ready = true;
    const parent = tool.parent === undefined ? {} : { parentToolCallId: tool.parent };
    this.#stamp({ type: 'tool_call_ready', toolCallId: id, toolName: tool.name, input: null, ...parent });
  }

  #closeAll(why: string): void {
    for (const [id, tool] of [...this.#tools]) {
      this.#readyTool(id);
      this.#tools.delete(id);
      const parent = tool.parent === undefined ? {} : { parentToolCallId: tool.parent };
      if (tool.mcpServer === undefined)
        this.#stamp({ type: 'tool_error', toolCallId: id, toolName: tool.name, error: why, ...parent });
      else
        this.#stamp({
          type: 'mcp_tool_error',
          toolCallId: id,
          server: tool.mcpServer,
          toolName: tool.name,
          error: why,
        });
    }
    for (const [parent, nested] of this.#nested) {
      if (nested.thinking) this.#thinkingStopAndSay(parent);
      if (nested.message) this.#stamp({ type: 'message_stop', parentToolCallId: parent });
    }
    this.#nested.clear();
    if (this.#messageOpen) this.#closeMessage();
    else if (this.#thinkingOpen) this.#thinkingStopAndSay(undefined);
  }

  /** The body becomes the event: decoders return fresh objects, and a copy for every delta would cost more than its decoding. */
  #stamp(body: EventBody): void {
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
}
