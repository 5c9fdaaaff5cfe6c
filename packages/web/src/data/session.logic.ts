import type { SessionEvent } from '@agent-mux/api/browser';
import { addTurnCost, NO_COST, type TurnCost } from './cost.logic.ts';
import { describeError, noteOf } from './error.logic.ts';
import type { Item, PlanEntry, ToolItem, ToolRequest } from './items.ts';

/** Path to an item: its index, then its index among the children of that tool call, and so on. */
type Path = readonly number[];

/** A conversation built from session events. Independent of batching: live and replayed events give the same result. */
export interface Conversation {
  /** Sequence number of the last applied event. */
  lastSeq: number;
  items: readonly Item[];
  /** The latest plan, or null if there was none. */
  plan: readonly PlanEntry[] | null;
  context: { used: number; max: number | null } | null;
  isTurnRunning: boolean;
  /** Start of the running turn. */
  turnStartedAt: number;
  open: Open;
}

/** Open items that later events may extend. Stays small, since finished items are dropped. */
interface Open {
  /** Tool calls by id: those of this turn, and earlier ones that are still running. */
  tools: ReadonlyMap<string, Path>;
  /** Open text and thinking items, by their parent tool call ('' for none). */
  texts: ReadonlyMap<string, Path>;
  thinking: ReadonlyMap<string, Path>;
  requests: ReadonlyMap<string, Path>;
  plan: Path | null;
  cost: TurnCost;
}

const NOTHING_OPEN: Open = {
  tools: new Map(),
  texts: new Map(),
  thinking: new Map(),
  requests: new Map(),
  plan: null,
  cost: NO_COST,
};

export const EMPTY_CONVERSATION: Conversation = {
  lastSeq: -1,
  items: [],
  plan: null,
  context: null,
  isTurnRunning: false,
  turnStartedAt: 0,
  open: NOTHING_OPEN,
};

/** Applies events in order and skips those already applied. Unchanged items keep their identity. O(events + items). */
export function applyEvents(conversation: Conversation, events: readonly SessionEvent[]): Conversation {
  const fresh = events.filter(({ seq }) => seq > conversation.lastSeq);
  if (fresh.length === 0) return conversation;
  const draft = new Draft(conversation);
  for (const event of fresh) draft.apply(event);
  return draft.finish();
}

/** One batch: arrays and maps are copied once, items when they first change. */
class Draft {
  readonly #state: Conversation;
  readonly #items: Item[];
  readonly #fresh = new WeakSet<object>();
  readonly #tools: Map<string, Path>;
  readonly #texts: Map<string, Path>;
  readonly #thinking: Map<string, Path>;
  readonly #requests: Map<string, Path>;
  #planAt: Path | null;
  #cost: TurnCost;

  constructor(before: Conversation) {
    this.#state = { ...before };
    this.#items = [...before.items];
    const { tools, texts, thinking, requests, plan, cost } = before.open;
    this.#tools = new Map(tools);
    this.#texts = new Map(texts);
    this.#thinking = new Map(thinking);
    this.#requests = new Map(requests);
    this.#planAt = plan;
    this.#cost = cost;
  }

  finish(): Conversation {
    return {
      ...this.#state,
      items: this.#items,
      open: {
        tools: this.#tools,
        texts: this.#texts,
        thinking: this.#thinking,
        requests: this.#requests,
        plan: this.#planAt,
        cost: this.#cost,
      },
    };
  }

  apply(event: SessionEvent): void {
    this.#state.lastSeq = event.seq;
    switch (event.type) {
      case 'user_message': {
        const { messageId, text, attachments, delivery } = event;
        this.#add(event, { kind: 'user', messageId, text, attachments, delivery });
        return;
      }
      case 'turn_start':
        this.#state.isTurnRunning = true;
        this.#state.turnStartedAt = event.timestamp;
        this.#planAt = null;
        this.#cost = { ...this.#cost, turn: null, isEstimated: false };
        return;
      case 'turn_end':
        this.#endTurn(event);
        return;
      case 'text_delta':
        this.#grow(this.#texts, event, { kind: 'text', text: '', isOpen: true });
        return;
      case 'message_stop':
        this.#close(this.#texts, event);
        return;
      case 'message_discard':
        this.#discard();
        return;
      case 'thinking_delta':
        this.#grow(this.#thinking, event, { kind: 'thinking', text: '', isOpen: true, endedAt: null });
        return;
      case 'thinking_stop':
        this.#close(this.#thinking, event);
        return;
      case 'plan_update':
        this.#applyPlan(event);
        return;
      case 'approval_request':
      case 'input_required':
        this.#ask(event);
        return;
      case 'approval_resolved':
      case 'input_resolved':
        this.#resolve(event);
        return;
      case 'cost':
        this.#cost = addTurnCost(this.#cost, event);
        return;
      case 'context_usage':
        this.#state.context = { used: event.usedTokens, max: event.maxTokens };
        return;
      case 'file_output':
        this.#add(event, {
          kind: 'file',
          path: event.path,
          name: event.fileName,
          mimeType: event.mimeType ?? null,
          base64: null,
        });
        return;
      case 'image_output': {
        const { path = null, mimeType, base64 = null } = event;
        this.#add(event, { kind: 'file', path, name: path?.split('/').at(-1) ?? 'image', mimeType, base64 });
        return;
      }
      default:
        this.#applyToolEvent(event);
    }
  }

  #applyToolEvent(event: SessionEvent): void {
    switch (event.type) {
      case 'tool_call_start':
        this.#startTool(event);
        return;
      case 'tool_input_delta':
        this.#changeTool(event.toolCallId, ({ partialInput }) => ({ partialInput: partialInput + event.delta }));
        return;
      case 'tool_call_ready':
      case 'mcp_tool_call_start':
        this.#startTool(event);
        this.#changeTool(event.toolCallId, () => ({ input: event.input, partialInput: '', toolKind: event.kind }));
        return;
      case 'tool_output_delta':
        this.#changeTool(event.toolCallId, ({ liveOutput }) => ({ liveOutput: liveOutput + event.delta }));
        return;
      case 'tool_result':
      case 'mcp_tool_result':
        this.#startTool(event);
        this.#changeTool(event.toolCallId, () => ({
          status: 'done',
          output: event.output,
          exitCode: ('exitCode' in event ? event.exitCode : undefined) ?? null,
          endedAt: event.timestamp,
        }));
        return;
      case 'tool_error':
      case 'mcp_tool_error':
        this.#startTool(event);
        this.#changeTool(event.toolCallId, () => ({
          status: 'denied' in event && event.denied ? 'denied' : 'failed',
          error: event.error,
          output: 'output' in event ? event.output : undefined,
          endedAt: event.timestamp,
        }));
        return;
      case 'file_change': {
        const { path, change, diff, toolCallId = '' } = event;
        const fileChange = { path, change, ...(diff === undefined ? {} : { diff }) };
        this.#changeTool(toolCallId, ({ changes }) => ({ changes: [...changes, fileChange] }));
        return;
      }
      case 'subagent_start': {
        const { toolCallId = '', name = null, prompt = null } = event;
        this.#changeTool(toolCallId, () => ({ subagent: { name, prompt, status: 'running', summary: null } }));
        return;
      }
      case 'subagent_end': {
        const { toolCallId = '', status, summary = null } = event;
        this.#changeTool(toolCallId, ({ subagent }) => ({
          subagent: { name: null, prompt: null, ...subagent, status, summary },
        }));
        return;
      }
      default:
        this.#applyOtherEvent(event);
    }
  }

  #applyOtherEvent(event: SessionEvent): void {
    const error = describeError(event);
    if (error) this.#add(event, { kind: 'error', ...error });
    const text = noteOf(event);
    if (text !== null) this.#add(event, { kind: 'note', text });
    // Nothing that the process started can finish without it.
    if (event.type === 'run_result' || event.type === 'keeper_lost') this.#endAll(event.timestamp);
  }

  #startTool(event: { toolCallId: string; toolName: string; kind: ToolItem['toolKind'] } & SessionEvent): void {
    if (this.#tools.has(event.toolCallId)) return;
    const path = this.#add(event, {
      kind: 'tool',
      toolCallId: event.toolCallId,
      name: event.toolName,
      server: 'server' in event ? event.server : null,
      toolKind: event.kind,
      input: undefined,
      partialInput: '',
      output: undefined,
      liveOutput: '',
      error: null,
      exitCode: null,
      status: 'running',
      endedAt: null,
      changes: [],
      request: null,
      subagent: null,
      children: [],
    });
    this.#tools.set(event.toolCallId, path);
  }

  #changeTool(toolCallId: string, change: (tool: ToolItem) => Partial<ToolItem>): void {
    const path = this.#tools.get(toolCallId);
    if (path) this.#change(path, (item) => (item.kind === 'tool' ? change(item) : {}));
  }

  #grow(
    open: Map<string, Path>,
    event: Extract<SessionEvent, { type: 'text_delta' | 'thinking_delta' }>,
    empty: { kind: 'text'; text: ''; isOpen: true } | { kind: 'thinking'; text: ''; isOpen: true; endedAt: null },
  ): void {
    const within = event.parentToolCallId ?? '';
    const path = open.get(within) ?? this.#add(event, empty);
    open.set(within, path);
    this.#change(path, (item) => ('text' in item ? { text: item.text + event.delta } : {}));
  }

  #close(
    open: Map<string, Path>,
    { parentToolCallId = '', timestamp }: { parentToolCallId?: string; timestamp: number },
  ): void {
    const path = open.get(parentToolCallId);
    if (!path) return;
    open.delete(parentToolCallId);
    this.#change(path, (item) =>
      item.kind === 'thinking' ? { isOpen: false, endedAt: timestamp } : item.kind === 'text' ? { isOpen: false } : {},
    );
  }

  /** The agent restarts its message, so the text so far is dropped. */
  #discard(): void {
    const path = this.#texts.get('');
    if (path) this.#change(path, (item) => (item.kind === 'text' ? { text: '' } : {}));
  }

  #applyPlan(event: Extract<SessionEvent, { type: 'plan_update' }>): void {
    this.#state.plan = event.entries;
    if (this.#planAt) this.#change(this.#planAt, () => ({ entries: event.entries }));
    else this.#planAt = this.#add(event, { kind: 'plan', entries: event.entries });
  }

  #ask(event: Extract<SessionEvent, { type: 'approval_request' | 'input_required' }>): void {
    const request: ToolRequest = { requestId: event.requestId, event, outcome: null, by: null };
    const tool = event.type === 'approval_request' ? this.#tools.get(event.toolCallId ?? '') : undefined;
    if (tool) this.#change(tool, () => ({ request }));
    this.#requests.set(event.requestId, tool ?? this.#add(event, { kind: 'request', request }));
  }

  #resolve({ requestId, outcome, by }: Extract<SessionEvent, { type: 'approval_resolved' | 'input_resolved' }>): void {
    const path = this.#requests.get(requestId);
    if (!path) return;
    this.#requests.delete(requestId);
    this.#change(path, (item) =>
      'request' in item && item.request ? { request: { ...item.request, outcome, by } } : {},
    );
  }

  #endTurn(event: Extract<SessionEvent, { type: 'turn_end' }>): void {
    this.#state.isTurnRunning = false;
    this.#closeTexts(event.timestamp);
    const { turn, isEstimated } = this.#cost;
    const durationMs = Math.max(0, event.timestamp - this.#state.turnStartedAt);
    this.#add(event, { kind: 'turn', status: event.status, durationMs, costUsd: turn, isEstimated });
    for (const [id, path] of this.#tools) {
      const item = this.#at(path);
      // Background tool calls and subagents keep running after the turn.
      if (item.kind === 'tool' && item.status !== 'running' && item.subagent?.status !== 'running')
        this.#tools.delete(id);
    }
  }

  #endAll(time: number): void {
    this.#state.isTurnRunning = false;
    this.#closeTexts(time);
    for (const path of this.#tools.values())
      this.#change(path, (item) =>
        item.kind === 'tool' && item.status === 'running' ? { status: 'unfinished', endedAt: time } : {},
      );
    for (const path of this.#requests.values())
      this.#change(path, (item) =>
        'request' in item && item.request
          ? { request: { ...item.request, outcome: 'cancelled' as const, by: null } }
          : {},
      );
    this.#tools.clear();
    this.#requests.clear();
    this.#planAt = null;
    this.#cost = NO_COST;
  }

  #closeTexts(timestamp: number): void {
    for (const open of [this.#texts, this.#thinking])
      for (const parentToolCallId of [...open.keys()]) this.#close(open, { parentToolCallId, timestamp });
  }

  /** Appends an item to the conversation, or to the children of its parent tool call. */
  #add(event: SessionEvent, rest: ItemBody): Path {
    const item: Item = { key: `${event.seq}`, seq: event.seq, time: event.timestamp, ...rest };
    this.#fresh.add(item);
    const within = 'parentToolCallId' in event ? this.#tools.get(event.parentToolCallId ?? '') : undefined;
    const parent = within === undefined ? undefined : this.#at(within);
    if (within === undefined || parent?.kind !== 'tool') {
      this.#items.push(item);
      return [this.#items.length - 1];
    }
    const index = parent.children.length;
    this.#change(within, () => ({ children: [...parent.children, item] }));
    return [...within, index];
  }

  #at(path: Path): Item {
    const [first = 0, ...rest] = path;
    let item = this.#items[first]!;
    for (const index of rest) if (item.kind === 'tool') item = item.children[index]!;
    return item;
  }

  #change(path: Path, change: (item: Item) => Partial<Item>): void {
    const [first = 0, ...rest] = path;
    this.#items[first] = this.#changed(this.#items[first]!, rest, change);
  }

  #changed(item: Item, path: Path, change: (item: Item) => Partial<Item>): Item {
    const [index, ...rest] = path;
    const patch: Partial<Item> =
      index === undefined || item.kind !== 'tool'
        ? change(item)
        : { children: item.children.with(index, this.#changed(item.children[index]!, rest, change)) };
    if (this.#fresh.has(item)) return Object.assign(item, patch);
    // A patch contains only fields of the item's own kind.
    const copy = { ...item, ...patch } as Item;
    this.#fresh.add(copy);
    return copy;
  }
}

type ItemBody = Item extends infer Each ? (Each extends Item ? Omit<Each, 'key' | 'seq' | 'time'> : never) : never;
