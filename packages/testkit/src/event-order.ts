import { type AgentEvent, isToolKind, stricterKind, TERMINAL_EVENTS, type ToolKind } from '@agent-mux/core';

interface ToolCall {
  kind: 'tool' | 'mcp';
  ready: boolean;
  /** State of the call so far. */
  does: ToolKind;
}
interface Scope {
  message: boolean;
  thinking: boolean;
}

/** Throws with every violation of the order that the contract promises for the events of a whole run. */
export function assertEventOrder(events: readonly AgentEvent[]): void {
  const faults = findEventOrderViolations(events);
  if (faults.length === 0) return;
  const course = events.map((event) => event.type).join(' ');
  throw new Error(`The order of events is broken:\n- ${faults.join('\n- ')}\nin: ${course}`);
}

export function findEventOrderViolations(events: readonly AgentEvent[]): string[] {
  const checker = new OrderChecker();
  for (const event of events) checker.take(event);
  return checker.finish();
}

const AFTER_TERMINAL: ReadonlySet<string> = new Set(['session_end', 'debug', 'log']);

class OrderChecker {
  readonly #faults: string[] = [];
  readonly #tools = new Map<string, ToolCall>();
  readonly #requests = new Map<string, 'approval' | 'input'>();
  readonly #subagents = new Set<string>();
  readonly #scopes = new Map<string | undefined, Scope>();
  #seq = -1;
  #count = 0;
  #turns = 0;
  #turnOpen = false;
  #terminal: string | undefined;
  #ended = false;
  #at = '';

  take(event: AgentEvent): void {
    this.#at = `#${event.seq} ${event.type}`;
    if (event.seq !== this.#seq + 1) this.#fault(`seq is ${event.seq} after ${this.#seq}`);
    this.#seq = event.seq;
    if ((this.#count === 0) !== (event.type === 'session_start')) this.#fault('session_start is the first, once');
    this.#count += 1;
    if (this.#ended) this.#fault('comes after session_end');
    if (this.#terminal && !AFTER_TERMINAL.has(event.type)) this.#fault(`comes after the terminal ${this.#terminal}`);
    if (TERMINAL_EVENTS.has(event.type)) {
      this.#mustBeClosed();
      if (this.#turnOpen) this.#fault('a turn is still open');
      this.#terminal = event.type;
    }
    this.#kindOf(event);
    this.#turnsOf(event);
    this.#messagesOf(event);
    this.#toolsOf(event);
    this.#requestsOf(event);
  }

  finish(): string[] {
    this.#at = 'at the end';
    if (!this.#ended) this.#fault('session_end is missing');
    return this.#faults;
  }

  #turnsOf(event: AgentEvent): void {
    if (event.type === 'session_end') {
      this.#mustBeClosed();
      if (this.#turnOpen) this.#fault('a turn is still open');
      if (this.#subagents.size > 0) this.#fault('a subagent is still open');
      this.#ended = true;
    } else if (event.type === 'turn_start') {
      if (this.#turnOpen) this.#fault('turns overlap');
      if (event.turnIndex !== this.#turns) this.#fault(`turnIndex is ${event.turnIndex}, not ${this.#turns}`);
      this.#turnOpen = true;
      this.#turns += 1;
    } else if (event.type === 'turn_end') {
      if (!this.#turnOpen) this.#fault('no turn is open');
      this.#mustBeClosed();
      this.#turnOpen = false;
    } else if (event.type === 'interrupted' && !this.#turnOpen) this.#fault('no turn is open');
    if (event.turnIndex !== Math.max(0, this.#turns - 1)) this.#fault(`turnIndex is ${event.turnIndex}`);
  }

  #messagesOf(event: AgentEvent): void {
    switch (event.type) {
      case 'message_start': {
        this.#inTurn(event.parentToolCallId);
        const scope = this.#scope(event.parentToolCallId);
        if (scope.message) this.#fault('a message is open');
        scope.message = true;
        break;
      }
      case 'message_stop': {
        const scope = this.#scope(event.parentToolCallId);
        if (!scope.message || scope.thinking) this.#fault('no message is open, or a thought within it is');
        scope.message = false;
        break;
      }
      case 'text_delta': {
        this.#inTurn(event.parentToolCallId);
        const scope = this.#scope(event.parentToolCallId);
        if (!scope.message || scope.thinking) this.#fault('text belongs in a message, outside of thinking');
        break;
      }
      case 'message_discard':
        if (!this.#scope(undefined).message) this.#fault('no message is open');
        break;
      case 'thinking_start': {
        const scope = this.#scope(event.parentToolCallId);
        if (!scope.message || scope.thinking) this.#fault('thinking belongs in a message, and alone');
        scope.thinking = true;
        break;
      }
      case 'thinking_delta':
        if (!this.#scope(event.parentToolCallId).thinking) this.#fault('no thought is open');
        break;
      case 'thinking_stop': {
        const scope = this.#scope(event.parentToolCallId);
        if (!scope.thinking) this.#fault('no thought is open');
        scope.thinking = false;
        break;
      }
    }
  }

  #toolsOf(event: AgentEvent): void {
    switch (event.type) {
      case 'tool_call_start':
      case 'mcp_tool_call_start': {
        if (event.type === 'tool_call_start') this.#inTurn(event.parentToolCallId);
        if (this.#tools.has(event.toolCallId)) this.#fault(`call ${event.toolCallId} is open`);
        const mcp = event.type === 'mcp_tool_call_start';
        this.#tools.set(event.toolCallId, { kind: mcp ? 'mcp' : 'tool', ready: mcp, does: event.kind });
        break;
      }
      case 'tool_input_delta':
        if (this.#tools.get(event.toolCallId)?.ready !== false)
          this.#fault(`call ${event.toolCallId} takes no more input`);
        break;
      case 'tool_call_ready': {
        const call = this.#tools.get(event.toolCallId);
        if (call?.ready !== false) this.#fault(`call ${event.toolCallId} has not started, or is ready`);
        if (call) call.ready = true;
        break;
      }
      case 'tool_output_delta':
        if (!this.#tools.get(event.toolCallId)?.ready) this.#fault(`call ${event.toolCallId} is not ready`);
        break;
      case 'tool_result':
      case 'tool_error':
        this.#settled(event.toolCallId, 'tool');
        break;
      case 'mcp_tool_result':
      case 'mcp_tool_error':
        this.#settled(event.toolCallId, 'mcp');
        break;
      case 'subagent_start':
        if (this.#subagents.has(event.subagentId)) this.#fault(`subagent ${event.subagentId} is open`);
        this.#subagents.add(event.subagentId);
        break;
      case 'subagent_end':
        if (!this.#subagents.delete(event.subagentId)) this.#fault(`subagent ${event.subagentId} is not open`);
        break;
    }
  }

  #kindOf(event: AgentEvent): void {
    if (!('toolName' in event)) return;
    if (!isToolKind(event.kind)) this.#fault('says no kind');
    const call = event.toolCallId === undefined ? undefined : this.#tools.get(event.toolCallId);
    if (!call) return;
    if (stricterKind(event.kind, call.does) !== event.kind) this.#fault(`is of kind ${event.kind} after ${call.does}`);
    call.does = event.kind;
  }

  #settled(id: string, kind: ToolCall['kind']): void {
    const call = this.#tools.get(id);
    if (call?.kind !== kind || !call.ready) this.#fault(`call ${id} is not ready, or has had its result`);
    this.#tools.delete(id);
  }

  #requestsOf(event: AgentEvent): void {
    switch (event.type) {
      case 'approval_request':
      case 'input_required':
        if (this.#requests.has(event.requestId)) this.#fault(`request ${event.requestId} is open`);
        this.#requests.set(event.requestId, event.type === 'approval_request' ? 'approval' : 'input');
        break;
      case 'approval_resolved':
      case 'input_resolved': {
        const kind = event.type === 'approval_resolved' ? 'approval' : 'input';
        if (this.#requests.get(event.requestId) !== kind)
          this.#fault(`request ${event.requestId} was not made, or is resolved`);
        this.#requests.delete(event.requestId);
        break;
      }
    }
  }

  /** A background subagent works between turns; the agent itself does not. */
  #inTurn(parent: string | undefined): void {
    if (parent === undefined && !this.#turnOpen) this.#fault('is outside of a turn');
  }

  #mustBeClosed(): void {
    for (const [parent, { message, thinking }] of this.#scopes) {
      if (message || thinking) this.#fault(`a message is still open${parent === undefined ? '' : ` in ${parent}`}`);
    }
    if (this.#tools.size > 0) this.#fault(`calls are still open: ${[...this.#tools.keys()].join(', ')}`);
    if (this.#requests.size > 0) this.#fault(`requests are still open: ${[...this.#requests.keys()].join(', ')}`);
  }

  #scope(parent: string | undefined): Scope {
    const known = this.#scopes.get(parent);
    if (known) return known;
    const scope = { message: false, thinking: false };
    this.#scopes.set(parent, scope);
    return scope;
  }

  #fault(what: string): void {
    this.#faults.push(`${this.#at}: ${what}`);
  }
}
