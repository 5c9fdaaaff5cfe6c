import type { EventBody, EventType, ToolEventType } from '../../contract/events.ts';
import { kindOfTool, stricterKind, type ToolKind, type ToolKindTable } from '../../contract/tool-kinds.ts';
import { isRecord } from '../../values.ts';
import { BoundedMap } from './bounded-map.ts';

type ToolEvent = Extract<EventBody, { type: ToolEventType }>;

const STAGES: Readonly<Record<ToolEventType, 'start' | 'middle' | 'end'>> = {
  tool_call_start: 'start',
  tool_call_ready: 'middle',
  tool_result: 'end',
  tool_error: 'end',
  mcp_tool_call_start: 'start',
  mcp_tool_result: 'end',
  mcp_tool_error: 'end',
  approval_request: 'middle',
};
/** Checked for every event: a set is faster than an object. */
const TOOL_EVENTS: ReadonlySet<string> = new Set(Object.keys(STAGES));

const MCP: ReadonlySet<EventType> = new Set<EventType>(['mcp_tool_call_start', 'mcp_tool_result', 'mcp_tool_error']);

/** Kinds that an agent may not claim for a tool that the table lists as "other". */
const ONLY_LOOKS: ReadonlySet<ToolKind> = new Set<ToolKind>(['think', 'read', 'search']);

/**
 * Tracks the kind of every tool call: from the decoder, from the adapter's table by tool name, and from earlier events
 * of the call. Without any of these it is `other`.
 */
export class CallKinds {
  readonly #table: ToolKindTable;
  readonly #calls = new BoundedMap<ToolKind>();

  constructor(table: ToolKindTable = {}) {
    this.#table = table;
  }

  fill(body: EventBody): void {
    if (!isToolEvent(body)) return;
    const { toolCallId } = body;
    body.kind = this.#kindOf(body);
    if (toolCallId === undefined) return;
    if (STAGES[body.type] === 'end') this.#calls.delete(toolCallId);
    else this.#calls.set(toolCallId, body.kind);
  }

  /** Ids may be reused in the next turn; calls that are still open continue. */
  forget(isOpen: (toolCallId: string) => boolean): void {
    for (const [toolCallId] of this.#calls.entries()) if (!isOpen(toolCallId)) this.#calls.delete(toolCallId);
  }

  #kindOf(body: ToolEvent): ToolKind {
    if (MCP.has(body.type)) return 'mcp';
    const { toolCallId, toolName } = body;
    const listed = kindOfTool(toolName, this.#table);
    const candidates = [body.kind, listed, toolCallId === undefined ? undefined : this.#calls.get(toolCallId)];
    const kind = candidates.reduce<ToolKind>((one, other) => stricterKind(one, other ?? 'other'), 'other');
    if (listed === 'other' && ONLY_LOOKS.has(kind)) return 'other';
    return kind === 'edit' && 'input' in body ? stricterKind(kind, kindOfPatch(body.input)) : kind;
  }
}

/** A patch in the `apply_patch` format, in any field, states what it does to each file. */
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
