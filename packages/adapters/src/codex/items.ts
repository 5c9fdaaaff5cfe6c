import { type EventBody, stricterKind, type ToolKind } from '@agent-mux/core';
import { entryOf, type Json, number, record, records, setEntry, text, word } from '../shared/json.ts';
import type { ItemState } from './item-state.ts';
import { subagentCall } from './subagents.ts';

/** `item/started` and `item/completed` of the app-server. */
export function decodeItemStart(item: Json, state: ItemState): EventBody[] {
  const id = text(item.id) ?? '';
  switch (item.type) {
    case 'agentMessage':
    case 'plan':
      return [...closeMessage(state), ...closeThinking(state), ...openMessage(id, state)];
    case 'reasoning':
      return [...closeMessage(state), ...openThinking(id, state)];
    default:
      return [...closeMessage(state), ...closeThinking(state), ...startTool(id, item, state)];
  }
}

export function decodeItemEnd(item: Json, state: ItemState): EventBody[] {
  const id = text(item.id) ?? '';
  switch (item.type) {
    case 'agentMessage':
    case 'plan':
      return completeMessage(id, text(item.text) ?? '', state);
    case 'reasoning':
      return completeThought(id, reasoningText(item), state);
    case 'contextCompaction':
      return [{ type: 'context_compacted' }];
    default:
      return completeTool(id, item, state);
  }
}

export function messageDelta(params: Json, state: ItemState): EventBody[] {
  const delta = text(params.delta) ?? '';
  const id = text(params.itemId) ?? '';
  const opened = openMessage(id, state);
  if (state.message) state.message.streamed = true;
  return delta === '' ? opened : [...opened, { type: 'text_delta', delta }];
}

export function thinkingDelta(params: Json, state: ItemState): EventBody[] {
  const delta = text(params.delta) ?? '';
  const opened = openThinking(text(params.itemId) ?? '', state);
  if (state.thinking) state.thinking.streamed = true;
  return delta === '' ? opened : [...opened, { type: 'thinking_delta', delta }];
}

/** A further paragraph of a summary comes without the empty line before it. */
export function thinkingPart(params: Json, state: ItemState): EventBody[] {
  const further = (number(params.summaryIndex) ?? 0) > 0 && state.thinking?.streamed;
  return further ? [{ type: 'thinking_delta', delta: '\n\n' }] : [];
}

/** After an interrupt or steering an open message gets no explicit end. */
export function closeMessage(state: ItemState): EventBody[] {
  if (!state.message) return [];
  const { id } = state.message;
  state.message = null;
  return [{ type: 'message_stop', messageId: id }];
}

export function closeThinking(state: ItemState): EventBody[] {
  if (!state.thinking) return [];
  state.thinking = null;
  return [{ type: 'thinking_stop' }];
}

function openMessage(id: string, state: ItemState): EventBody[] {
  if (state.message?.id === id) return [];
  const closed = closeMessage(state);
  state.message = { id, streamed: false };
  const model = state.model === null ? {} : { model: state.model };
  return [...closed, { type: 'message_start', messageId: id, ...model }];
}

function openThinking(id: string, state: ItemState): EventBody[] {
  if (state.thinking?.id === id) return [];
  const closed = closeThinking(state);
  state.thinking = { id, streamed: false };
  return [...closed, { type: 'thinking_start' }];
}

function completeMessage(id: string, whole: string, state: ItemState): EventBody[] {
  const opened = openMessage(id, state);
  const rest: EventBody[] = state.message?.streamed || whole === '' ? [] : [{ type: 'text_delta', delta: whole }];
  return [...opened, ...rest, ...closeMessage(state)];
}

function completeThought(id: string, whole: string, state: ItemState): EventBody[] {
  const opened = openThinking(id, state);
  const rest: EventBody[] = state.thinking?.streamed || whole === '' ? [] : [{ type: 'thinking_delta', delta: whole }];
  return [...opened, ...rest, ...closeThinking(state)];
}

function reasoningText(item: Json): string {
  const parts = [item.summary, item.content].map((list) => (Array.isArray(list) ? list : []));
  const shown = parts.find((list) => list.length > 0) ?? [];
  return shown.map((part) => text(part) ?? '').join('\n\n');
}

/** Items that are running tools: the name the model uses, and the input. Others are not emitted. */
const TOOLS: Readonly<Record<string, (item: Json) => { name: string; kind?: ToolKind; input: unknown } | null>> = {
  commandExecution: (item) => ({ name: 'exec_command', input: { command: item.command, cwd: item.cwd } }),
  fileChange: ({ changes }) => ({ name: 'apply_patch', kind: kindOfChanges(records(changes)), input: { changes } }),
  webSearch: (item) => ({ name: 'web_search', input: { query: item.query } }),
  imageView: (item) => ({ name: 'view_image', input: { path: item.path } }),
  imageGeneration: (item) => ({ name: 'image_generation', input: { prompt: item.revisedPrompt ?? null } }),
  dynamicToolCall: (item) => ({ name: text(item.tool) ?? 'tool', input: item.arguments }),
  collabAgentToolCall: (item) => ({
    name: snakeCase(text(item.tool) ?? 'agent'),
    input: { prompt: item.prompt ?? null, agents: item.receiverThreadIds },
  }),
};

/** Each change has a kind; the most severe one counts. */
export function kindOfChanges(changes: readonly Json[]): ToolKind {
  const kinds = changes.map(({ kind }): ToolKind => {
    if (text(record(kind).move_path) !== undefined) return 'move';
    return (text(kind) ?? text(record(kind).type)) === 'delete' ? 'delete' : 'edit';
  });
  return kinds.reduce(stricterKind, 'edit');
}

function startTool(id: string, item: Json, state: ItemState): EventBody[] {
  if (entryOf(state.tools, id)) return [];
  if (item.type === 'mcpToolCall') {
    const server = text(item.server) ?? '';
    const toolName = text(item.tool) ?? 'tool';
    setEntry(state.tools, id, { name: toolName, mcpServer: server });
    return [{ type: 'mcp_tool_call_start', toolCallId: id, server, toolName, input: item.arguments ?? null }];
  }
  const tool = entryOf(TOOLS, text(item.type) ?? '')?.(item);
  if (!tool) return [];
  setEntry(state.tools, id, { name: tool.name, mcpServer: null });
  const kind = tool.kind === undefined ? {} : { kind: tool.kind };
  return [
    { type: 'tool_call_start', toolCallId: id, toolName: tool.name, ...kind },
    { type: 'tool_call_ready', toolCallId: id, toolName: tool.name, ...kind, input: tool.input },
  ];
}

function completeTool(id: string, item: Json, state: ItemState): EventBody[] {
  const started = startTool(id, item, state);
  const tool = entryOf(state.tools, id);
  if (!tool) return [];
  delete state.tools[id];
  const denied = item.status === 'declined' || state.denied.includes(id);
  state.denied = state.denied.filter((other) => other !== id);
  const failed = item.status === 'failed' || item.status === 'declined' || item.success === false;
  const toolCallId = id;
  const toolName = tool.name;
  if (tool.mcpServer !== null) {
    const { mcpServer: server } = tool;
    const ended: EventBody = failed
      ? { type: 'mcp_tool_error', toolCallId, server, toolName, error: mcpError(item) }
      : { type: 'mcp_tool_result', toolCallId, server, toolName, output: record(item.result).content ?? item.result };
    return [...started, ended];
  }
  const output = outputOf(item);
  const exitCode = number(item.exitCode);
  if (failed) {
    const words = denied ? 'denied' : `${typeof output === 'string' ? output : ''}`.trim();
    const error = words || (exitCode === undefined ? 'the tool failed' : `exit code ${exitCode}`);
    return [
      ...started,
      { type: 'tool_error', toolCallId, toolName, error, output, ...(denied ? { denied: true } : {}) },
    ];
  }
  return [
    ...started,
    { type: 'tool_result', toolCallId, toolName, output, ...(exitCode === undefined ? {} : { exitCode }) },
    ...fileChanges(id, item),
    ...imageEvents(item),
    ...subagentCall(id, item, state),
  ];
}

function outputOf(item: Json): unknown {
  switch (item.type) {
    case 'commandExecution':
      return text(item.aggregatedOutput) ?? '';
    case 'fileChange':
      return records(item.changes).map(({ path }) => path);
    case 'webSearch':
      return item.results ?? item.action ?? null;
    case 'collabAgentToolCall':
      return item.agentsStates;
    case 'dynamicToolCall':
      return item.contentItems;
    default:
      return item.savedPath ?? item.path ?? null;
  }
}

function mcpError(item: Json): string {
  const said = records(record(item.result).content).map((part) => text(part.text) ?? '');
  return word(record(item.error).message) ?? (said.join('\n') || 'the tool failed');
}

const CHANGES: Readonly<Record<string, 'create' | 'update' | 'delete'>> = {
  add: 'create',
  update: 'update',
  delete: 'delete',
};

function fileChanges(toolCallId: string, item: Json): EventBody[] {
  return records(item.changes).flatMap((change): EventBody[] => {
    const path = word(change.path);
    const kind = entryOf(CHANGES, text(record(change.kind).type) ?? text(change.kind) ?? '');
    if (!path || !kind) return [];
    const diff = word(change.diff);
    return [{ type: 'file_change', path, change: kind, toolCallId, ...(diff ? { diff } : {}) }];
  });
}

function imageEvents(item: Json): EventBody[] {
  if (item.type !== 'imageGeneration') return [];
  const base64 = word(item.result);
  const path = word(item.savedPath);
  if (!base64 && !path) return [];
  return [{ type: 'image_output', mimeType: 'image/png', ...(base64 ? { base64 } : {}), ...(path ? { path } : {}) }];
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
