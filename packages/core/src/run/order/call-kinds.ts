import type { EventBody, EventType, ToolEventType } from '../../contract/events.ts';
import { graverKind, kindOfTool, type ToolKind, type ToolKindTable } from '../../contract/tool-kinds.ts';
import { isRecord } from '../../values.ts';
import { BoundedTable } from './bounded-table.ts';

type ToolEvent = Extract<EventBody, { type: ToolEventType }>;

const STAGES: Readonly<Record<ToolEventType, 'begins' | 'goes on' | 'ends'>> = {
  tool_call_start: 'begins',
  tool_call_ready: 'goes on',
  tool_result: 'ends',
  tool_error: 'ends',
  mcp_tool_call_start: 'begins',
  mcp_tool_result: 'ends',
  mcp_tool_error: 'ends',
  approval_request: 'goes on',
};
/** Asked for every event: a set answers faster than an object. */
const TOOL_EVENTS: ReadonlySet<string> = new Set(Object.keys(STAGES));

const MCP: ReadonlySet<EventType> = new Set<EventType>(['mcp_tool_call_start', 'mcp_tool_result', 'mcp_tool_error']);

/** What an agent may not say of a tool that the table lists as one that may come to anything. */
const ONLY_LOOKS: ReadonlySet<ToolKind> = new Set<ToolKind>(['think', 'read', 'search']);

/**
 * The kind of every tool call, over all of its life: what the decoder says, what the adapter's table says of the name, and
 * what was said of the call before. Whoever says nothing gets `other`.
 */
export class CallKinds {
  readonly #table: ToolKindTable;
  readonly #calls = new BoundedTable<ToolKind>();

  constructor(table: ToolKindTable = {}) {
    this.#table = table;
  }

  fill(body: EventBody): void {
    if (!isToolEvent(body)) return;
    const { toolCallId } = body;
    body.kind = this.#kindOf(body);
    if (toolCallId === undefined) return;
    if (STAGES[body.type] === 'ends') this.#calls.delete(toolCallId);
    else this.#calls.set(toolCallId, body.kind);
  }

  /** Ids may come again in the next turn; calls that are still open go on. */
  forget(isOpen: (toolCallId: string) => boolean): void {
    for (const [toolCallId] of this.#calls.entries()) if (!isOpen(toolCallId)) this.#calls.delete(toolCallId);
  }

  #kindOf(body: ToolEvent): ToolKind {
    if (MCP.has(body.type)) return 'mcp';
    const { toolCallId, toolName } = body;
    const listed = kindOfTool(toolName, this.#table);
    const said = [body.kind, listed, toolCallId === undefined ? undefined : this.#calls.get(toolCallId)];
    const kind = said.reduce<ToolKind>((one, other) => graverKind(one, other ?? 'other'), 'other');
    if (listed === 'other' && ONLY_LOOKS.has(kind)) return 'other';
    return kind === 'edit' && 'input' in body ? graverKind(kind, kindOfPatch(body.input)) : kind;
  }
}

/** A patch in the format of `apply_patch`, whatever field it is in, says itself what it does to each file. */
function kindOfPatch(input: unknown): ToolKind {
  const texts = isRecord(input) ? Object.values(input) : [input];
  const patches = texts.filter((text) => typeof text === 'string' && text.trimStart().startsWith('*** Begin Patch'));
  const has = (line: RegExp) => patches.some((patch) => line.test(String(patch)));
  if (has(/^\*\*\* Delete File: /m)) return 'delete';
  return has(/^\*\*\* Move to: /m) ? 'move' : 'edit';
}

function isToolEvent(body: EventBody): body is ToolEvent {
  return TOOL_EVENTS.has(body.type);
}
