import type { EventBody } from '../../contract/events.ts';
import { BoundedMap } from './bounded-map.ts';

type Emit = (body: EventBody) => void;
type BodyOf<T extends EventBody['type']> = Extract<EventBody, { type: T }>;

interface OpenTool {
  name: string;
  ready: boolean;
  mcpServer?: string;
  parent?: string;
}

/** The tool calls of a turn: each starts once, is ready once, and has exactly one result or error. */
export class OpenTools {
  readonly #emit: Emit;
  readonly #open = new BoundedMap<OpenTool>();
  /** Calls with a result in this turn, or closed with the previous one: a second result is ignored. */
  #settled = new BoundedMap<true>();
  /** Calls closed by the end of their turn; their result may come in the next turn. */
  #abandoned: string[] = [];

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get size(): number {
    return this.#open.size;
  }

  has(toolCallId: string): boolean {
    return this.#open.has(toolCallId);
  }

  newTurn(): void {
    this.#settled.clear();
    for (const toolCallId of this.#abandoned.splice(0)) this.#settled.set(toolCallId, true);
  }

  /** A result for a call that already has one. */
  isStale(body: EventBody): boolean {
    switch (body.type) {
      case 'tool_result':
      case 'tool_error':
      case 'mcp_tool_result':
      case 'mcp_tool_error':
        return !this.#open.has(body.toolCallId) && this.#settled.has(body.toolCallId);
      default:
        return false;
    }
  }

  start(body: BodyOf<'tool_call_start'>): void {
    if (this.#open.has(body.toolCallId)) return;
    this.#keep(body.toolCallId, { name: body.toolName, ready: false, parent: body.parentToolCallId });
    this.#emit(body);
  }

  inputDelta(body: BodyOf<'tool_input_delta'>): void {
    if (this.#open.get(body.toolCallId)?.ready === false) this.#emit(body);
  }

  outputDelta(body: BodyOf<'tool_output_delta'>): void {
    const tool = this.#open.get(body.toolCallId);
    if (!tool) return;
    this.#createReady(body.toolCallId, tool);
    this.#emit(body);
  }

  ready(body: BodyOf<'tool_call_ready'>): void {
    const tool = this.#opened(body);
    if (tool.ready) return;
    tool.ready = true;
    this.#emit(body);
  }

  startMcp(body: BodyOf<'mcp_tool_call_start'>): void {
    if (this.#open.has(body.toolCallId)) return;
    this.#keep(body.toolCallId, { name: body.toolName, ready: true, mcpServer: body.server });
    this.#emit(body);
  }

  settle(body: BodyOf<'tool_result' | 'tool_error'>): void {
    if (this.isStale(body)) return;
    const tool = this.#opened(body);
    if (tool.mcpServer !== undefined) return;
    this.#createReady(body.toolCallId, tool);
    this.#close(body);
  }

  settleMcp(body: BodyOf<'mcp_tool_result' | 'mcp_tool_error'>): void {
    const { toolCallId, server, toolName } = body;
    if (this.isStale(body)) return;
    if (!this.#open.has(toolCallId))
      this.startMcp({ type: 'mcp_tool_call_start', toolCallId, server, toolName, input: null });
    if (this.#open.get(toolCallId)?.mcpServer !== undefined) this.#close(body);
  }

  /** Closes the calls of a turn that ended without their results. */
  closeAll(why: string): void {
    for (const [toolCallId, tool] of this.#open.entries()) {
      this.#abandoned.push(toolCallId);
      this.#giveUp(toolCallId, tool, why);
    }
  }

  #giveUp(toolCallId: string, tool: OpenTool, why: string): void {
    this.#createReady(toolCallId, tool);
    const { name: toolName, mcpServer: server } = tool;
    if (server === undefined)
      this.#close({ type: 'tool_error', toolCallId, toolName, error: why, ...parentOf(tool.parent) });
    else this.#close({ type: 'mcp_tool_error', toolCallId, server, toolName, error: why });
  }

  #keep(toolCallId: string, tool: OpenTool): void {
    const chars = tool.name.length + (tool.parent?.length ?? 0) + (tool.mcpServer?.length ?? 0);
    for (const [id, oldest] of this.#open.set(toolCallId, tool, chars))
      this.#giveUp(id, oldest, 'too many tool calls are open');
  }

  #opened(body: { toolCallId: string; toolName: string; parentToolCallId?: string }): OpenTool {
    const known = this.#open.get(body.toolCallId);
    if (known) return known;
    const { toolCallId, toolName, parentToolCallId } = body;
    const tool: OpenTool = { name: toolName, ready: false, parent: parentToolCallId };
    this.#keep(toolCallId, tool);
    this.#emit({ type: 'tool_call_start', toolCallId, toolName, ...parentOf(parentToolCallId) });
    return tool;
  }

  #createReady(toolCallId: string, tool: OpenTool): void {
    if (tool.ready) return;
    tool.ready = true;
    this.#emit({
      type: 'tool_call_ready',
      toolCallId,
      toolName: tool.name,
      input: null,
      ...parentOf(tool.parent),
    });
  }

  #close(body: BodyOf<'tool_result' | 'tool_error' | 'mcp_tool_result' | 'mcp_tool_error'>): void {
    this.#open.delete(body.toolCallId);
    this.#settled.set(body.toolCallId, true);
    this.#emit(body);
  }
}

interface Scope {
  message: boolean;
  thinking: boolean;
}

/** Messages of the agent and of its subagents, keyed by parent tool call. Thinking is part of a message. */
export class OpenMessages {
  readonly #emit: Emit;
  readonly #main: Scope = { message: false, thinking: false };
  readonly #nested = new BoundedMap<Scope>();

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** The agent itself is in the middle of a message, outside of thinking. */
  get isSpeaking(): boolean {
    return this.#main.message && !this.#main.thinking;
  }

  text(body: BodyOf<'text_delta'>): void {
    const parent = body.parentToolCallId;
    const scope = this.#scope(parent);
    if (scope.thinking) this.#stopThinking(scope, parent);
    if (!scope.message) this.#startMessage(scope, parent);
    this.#emit(body);
  }

  start(body: BodyOf<'message_start'>): void {
    const scope = this.#scope(body.parentToolCallId);
    this.#stopMessage(scope, body.parentToolCallId);
    scope.message = true;
    this.#emit(body);
  }

  stop(body: BodyOf<'message_stop'>): void {
    const scope = this.#scope(body.parentToolCallId);
    if (!scope.message) return;
    this.#stopThinking(scope, body.parentToolCallId);
    scope.message = false;
    this.#emit(body);
  }

  discard(body: BodyOf<'message_discard'>): void {
    if (!this.#main.message) return;
    this.#stopThinking(this.#main, undefined);
    this.#emit(body);
  }

  startThinking(body: BodyOf<'thinking_start'>): void {
    const parent = body.parentToolCallId;
    const scope = this.#scope(parent);
    this.#stopThinking(scope, parent);
    if (!scope.message) this.#startMessage(scope, parent);
    scope.thinking = true;
    this.#emit(body);
  }

  thinking(body: BodyOf<'thinking_delta'>): void {
    const parent = body.parentToolCallId;
    if (!this.#scope(parent).thinking) this.startThinking({ type: 'thinking_start', ...parentOf(parent) });
    this.#emit(body);
  }

  stopThinking(body: BodyOf<'thinking_stop'>): void {
    const scope = this.#scope(body.parentToolCallId);
    if (!scope.thinking) return;
    scope.thinking = false;
    this.#emit(body);
  }

  closeAll(): void {
    for (const [parent, scope] of this.#nested.entries()) this.#stopMessage(scope, parent);
    this.#nested.clear();
    this.#stopMessage(this.#main, undefined);
  }

  #scope(parent: string | undefined): Scope {
    if (parent === undefined) return this.#main;
    let scope = this.#nested.get(parent);
    if (!scope) {
      scope = { message: false, thinking: false };
      for (const [oldest, open] of this.#nested.set(parent, scope)) this.#stopMessage(open, oldest);
    }
    return scope;
  }

  #startMessage(scope: Scope, parent: string | undefined): void {
    scope.message = true;
    this.#emit({ type: 'message_start', ...parentOf(parent) });
  }

  #stopMessage(scope: Scope, parent: string | undefined): void {
    this.#stopThinking(scope, parent);
    if (!scope.message) return;
    scope.message = false;
    this.#emit({ type: 'message_stop', ...parentOf(parent) });
  }

  #stopThinking(scope: Scope, parent: string | undefined): void {
    if (!scope.thinking) return;
    scope.thinking = false;
    this.#emit({ type: 'thinking_stop', ...parentOf(parent) });
  }
}

/** Requests of the agent: each is resolved once, after it was made. */
export class OpenRequests {
  readonly #emit: Emit;
  readonly #open = new BoundedMap<'approval' | 'input'>();

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  ask(body: BodyOf<'approval_request' | 'input_required'>): void {
    if (this.#open.has(body.requestId)) return;
    const kind = body.type === 'approval_request' ? 'approval' : 'input';
    for (const [oldest, openKind] of this.#open.set(body.requestId, kind)) this.#cancel(oldest, openKind);
    this.#emit(body);
  }

  resolve(body: BodyOf<'approval_resolved' | 'input_resolved'>): void {
    const kind = body.type === 'approval_resolved' ? 'approval' : 'input';
    if (this.#open.get(body.requestId) !== kind) return;
    this.#open.delete(body.requestId);
    this.#emit(body);
  }

  closeAll(): void {
    for (const [requestId, kind] of this.#open.entries()) {
      this.#open.delete(requestId);
      this.#cancel(requestId, kind);
    }
  }

  #cancel(requestId: string, kind: 'approval' | 'input'): void {
    const type = kind === 'approval' ? 'approval_resolved' : 'input_resolved';
    this.#emit({ type, requestId, outcome: 'cancelled', by: 'agent' });
  }
}

function parentOf(parentToolCallId: string | undefined): { parentToolCallId?: string } {
  return parentToolCallId === undefined ? {} : { parentToolCallId };
}
