import type { SessionEvent } from '@agent-mux/api/browser';
import { addTurnCost, NO_COST, type TurnCost } from './cost.logic.ts';
import type { Asked, Item, PlanEntry, ToolItem } from './items.ts';
import { describeTrouble, noteOf } from './trouble.logic.ts';

/** Where an item stands: its index, and within a tool call the index among that one's children, and so on. */
type Path = readonly number[];

/** A conversation, made of the events of its session: the same whether they are live or replayed, one by one or in batches. */
export interface Conversation {
  /** Of the last event that was taken. */
  lastSeq: number;
  items: readonly Item[];
  /** The newest plan; null: there was none. */
  plan: readonly PlanEntry[] | null;
  context: { used: number; max: number | null } | null;
  isTurnRunning: boolean;
  /** Of the turn that runs. */
  turnStartedAt: number;
  open: Open;
}

/** What later events belong to. Small: what is over is forgotten. */
interface Open {
  /** Tool calls by their id: those of this turn, and those that run on. */
  tools: ReadonlyMap<string, Path>;
  /** Text and thoughts that grow, by the tool call that they are within ('' for none). */
  texts: ReadonlyMap<string, Path>;
  thoughts: ReadonlyMap<string, Path>;
  requests: ReadonlyMap<string, Path>;
  plan: Path | null;
  cost: TurnCost;
}

const NOTHING_OPEN: Open = {
  tools: new Map(),
  texts: new Map(),
  thoughts: new Map(),
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

/** Events in order; what was taken before is left out. Items that did not change stay the same objects. O(events + items). */
export function takeEvents(conversation: Conversation, events: readonly SessionEvent[]): Conversation {
  const news = events.filter(({ seq }) => seq > conversation.lastSeq);
  if (news.length === 0) return conversation;
  const draft = new Draft(conversation);
  for (const event of news) draft.take(event);
  return draft.finish();
}

/** One batch: arrays and maps are copied once, items when they first change. */
class Draft {
  readonly #state: Conversation;
  readonly #items: Item[];
  readonly #fresh = new WeakSet<object>();
  readonly #tools: Map<string, Path>;
  readonly #texts: Map<string, Path>;
  readonly #thoughts: Map<string, Path>;
  readonly #requests: Map<string, Path>;
  #planAt: Path | null;
  #cost: TurnCost;

  constructor(before: Conversation) {
    this.#state = { ...before };
    this.#items = [...before.items];
    const { tools, texts, thoughts, requests, plan, cost } = before.open;
    this.#tools = new Map(tools);
    this.#texts = new Map(texts);
    this.#thoughts = new Map(thoughts);
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
        thoughts: this.#thoughts,
        requests: this.#requests,
        plan: this.#planAt,
        cost: this.#cost,
      },
    };
  }

  take(event: SessionEvent): void {
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
        this.#grow(this.#thoughts, event, { kind: 'thinking', text: '', isOpen: true, endedAt: null });
        return;
      case 'thinking_stop':
        this.#close(this.#thoughts, event);
        return;
      case 'plan_update':
        this.#takePlan(event);
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
        this.#add(event, { kind: 'file', path, name: path?.split('/').at(-1) ?? 'picture', mimeType, base64 });
        return;
      }
      default:
        this.#takeTool(event);
    }
  }

  #takeTool(event: SessionEvent): void {
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
        const made = { path, change, ...(diff === undefined ? {} : { diff }) };
        this.#changeTool(toolCallId, ({ changes }) => ({ changes: [...changes, made] }));
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
        this.#takeRest(event);
    }
  }

  #takeRest(event: SessionEvent): void {
    const trouble = describeTrouble(event);
    if (trouble) this.#add(event, { kind: 'trouble', ...trouble });
    const text = noteOf(event);
    if (text !== null) this.#add(event, { kind: 'note', text });
    // With the process goes what it had begun.
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
      asked: null,
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

  /** The agent says it again from the beginning. */
  #discard(): void {
    const path = this.#texts.get('');
    if (path) this.#change(path, (item) => (item.kind === 'text' ? { text: '' } : {}));
  }

  #takePlan(event: Extract<SessionEvent, { type: 'plan_update' }>): void {
    this.#state.plan = event.entries;
    if (this.#planAt) this.#change(this.#planAt, () => ({ entries: event.entries }));
    else this.#planAt = this.#add(event, { kind: 'plan', entries: event.entries });
  }

  #ask(event: Extract<SessionEvent, { type: 'approval_request' | 'input_required' }>): void {
    const asked: Asked = { requestId: event.requestId, event, outcome: null, by: null };
    const tool = event.type === 'approval_request' ? this.#tools.get(event.toolCallId ?? '') : undefined;
    if (tool) this.#change(tool, () => ({ asked }));
    this.#requests.set(event.requestId, tool ?? this.#add(event, { kind: 'request', asked }));
  }

  #resolve({ requestId, outcome, by }: Extract<SessionEvent, { type: 'approval_resolved' | 'input_resolved' }>): void {
    const path = this.#requests.get(requestId);
    if (!path) return;
    this.#requests.delete(requestId);
    this.#change(path, (item) => ('asked' in item && item.asked ? { asked: { ...item.asked, outcome, by } } : {}));
  }

  #endTurn(event: Extract<SessionEvent, { type: 'turn_end' }>): void {
    this.#state.isTurnRunning = false;
    this.#closeTexts(event.timestamp);
    const { turn, isEstimated } = this.#cost;
    const durationMs = Math.max(0, event.timestamp - this.#state.turnStartedAt);
    this.#add(event, { kind: 'turn', status: event.status, durationMs, costUsd: turn, isEstimated });
    for (const [id, path] of this.#tools) {
      const item = this.#at(path);
      // What works in the background goes on.
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
        'asked' in item && item.asked ? { asked: { ...item.asked, outcome: 'cancelled' as const, by: null } } : {},
      );
    this.#tools.clear();
    this.#requests.clear();
    this.#planAt = null;
    this.#cost = NO_COST;
  }

  #closeTexts(timestamp: number): void {
    for (const open of [this.#texts, this.#thoughts])
      for (const parentToolCallId of [...open.keys()]) this.#close(open, { parentToolCallId, timestamp });
  }

  /** At the end of the conversation, or of what the tool call has that it is within. */
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
    // A patch has the fields of the item that it was made for.
    const copy = { ...item, ...patch } as Item;
    this.#fresh.add(copy);
    return copy;
  }
}

type ItemBody = Item extends infer Each ? (Each extends Item ? Omit<Each, 'key' | 'seq' | 'time'> : never) : never;
