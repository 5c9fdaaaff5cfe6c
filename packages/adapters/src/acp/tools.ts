import { type EventBody, isToolKind, stricterKind, type ToolKind } from '@agent-mux/core';
import { entryOf, isRecord, type Json, record, records, setEntry, text, word } from '../shared/json.ts';
import type { AcpDialect } from './dialect.ts';
import type { AcpState, AcpTool } from './state.ts';

export function toolCall(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  return [...startTool(update, state, dialect), ...toolProgress(update, state, dialect)];
}

export function toolCallUpdate(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  return toolCall(update, state, dialect);
}

/** The tool that an update or a permission request refers to; emits its start if it is new. */
export function startTool(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  const id = text(update.toolCallId) ?? '';
  const known = entryOf(state.tools, id);
  const input = dialect.toolInput?.(update) ?? inputOf(update);
  if (known) {
    if (!known.ready && input !== undefined) known.input = input;
    known.kind = stricterKind(known.kind, kindOf(update));
    return [];
  }
  // An update for a tool that has ended, or of a replayed session.
  if (
    id === '' ||
    (update.sessionUpdate === 'tool_call_update' && text(update.title) === undefined && !dialect.toolName?.(update))
  )
    return [];
  const name = dialect.toolName?.(update) ?? word(update.name) ?? word(update.kind) ?? word(update.title) ?? 'tool';
  const mcp = dialect.mcpTool?.(name, state.open.mcpNames);
  const kind = mcp ? 'mcp' : kindOf(update);
  const mcpServer = mcp?.server ?? null;
  const tool: AcpTool = { name: mcp?.tool ?? name, kind, input: input ?? null, ready: false, mcpServer };
  setEntry(state.tools, id, tool);
  if (mcp) return input === undefined ? [] : readyTool(id, tool);
  return [
    { type: 'tool_call_start', toolCallId: id, toolName: name, kind },
    ...(input === undefined ? [] : readyTool(id, tool)),
  ];
}

export function readyTool(id: string, tool: AcpTool): EventBody[] {
  if (tool.ready) return [];
  tool.ready = true;
  const { name: toolName, input, mcpServer: server } = tool;
  if (server !== null) return [{ type: 'mcp_tool_call_start', toolCallId: id, server, toolName, input }];
  return [{ type: 'tool_call_ready', toolCallId: id, toolName: tool.name, kind: tool.kind, input: tool.input }];
}

/** A denied tool that the agent does not mention again. */
export function deniedTool(id: string, state: AcpState): EventBody[] {
  const tool = entryOf(state.tools, id);
  if (!tool) return [];
  delete state.tools[id];
  return [...readyTool(id, tool), failTool(id, tool, { words: '', denied: true })];
}

function toolProgress(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  const id = text(update.toolCallId) ?? '';
  const tool = entryOf(state.tools, id);
  if (!tool) return [];
  const { status } = update;
  if (status === 'completed') {
    delete state.tools[id];
    const output = outputText(update);
    if (dialect.toolFailed?.(output))
      return [...readyTool(id, tool), failTool(id, tool, { words: output, denied: false })];
    return [...readyTool(id, tool), resultOf(id, tool, update), ...fileChanges(update, id)];
  }
  if (status === 'failed') {
    delete state.tools[id];
    const denied = state.deniedTools.includes(id);
    state.deniedTools = state.deniedTools.filter((other) => other !== id);
    return [...readyTool(id, tool), failTool(id, tool, { words: outputText(update), denied })];
  }
  return status === 'in_progress' && tool.input !== null ? readyTool(id, tool) : [];
}

function resultOf(toolCallId: string, tool: AcpTool, update: Json): EventBody {
  const { name: toolName, mcpServer: server } = tool;
  const output = outputText(update) || (update.rawOutput ?? '');
  if (server !== null) return { type: 'mcp_tool_result', toolCallId, server, toolName, output };
  return { type: 'tool_result', toolCallId, toolName, kind: tool.kind, output, ...exitCode(update) };
}

function failTool(toolCallId: string, tool: AcpTool, { words, denied }: { words: string; denied: boolean }): EventBody {
  const { name: toolName, mcpServer: server } = tool;
  const error = words || (denied ? 'denied' : 'the tool failed');
  if (server !== null) return { type: 'mcp_tool_error', toolCallId, server, toolName, error };
  return { type: 'tool_error', toolCallId, toolName, kind: tool.kind, error, ...(denied ? { denied: true } : {}) };
}

/** ACP has our tool kinds except `mcp`, and some more. */
export function kindOf({ kind }: Json): ToolKind {
  return isToolKind(kind) && kind !== 'mcp' ? kind : 'other';
}

export function inputOf(update: Json): unknown {
  const { rawInput } = update;
  if (isRecord(rawInput)) return Object.keys(rawInput).length > 0 ? rawInput : undefined;
  return rawInput ?? undefined;
}

function outputText(update: Json): string {
  const parts = records(update.content).map((part) =>
    part.type === 'content' ? (text(record(part.content).text) ?? '') : '',
  );
  const shown = parts.join('');
  if (shown !== '') return shown;
  const raw = update.rawOutput;
  if (typeof raw === 'string') return raw;
  return isRecord(raw) ? (text(raw.output) ?? text(raw.content) ?? text(raw.error) ?? '') : '';
}

function exitCode(update: Json): { exitCode?: number } {
  const raw = record(update.rawOutput);
  const code = raw.exitCode ?? raw.exit_code;
  return typeof code === 'number' ? { exitCode: code } : {};
}

function fileChanges(update: Json, id: string): EventBody[] {
  return records(update.content).flatMap((part): EventBody[] => {
    const path = part.type === 'diff' ? word(part.path) : undefined;
    if (path === undefined) return [];
    const created = part.oldText === null || part.oldText === undefined || part.oldText === '';
    return [{ type: 'file_change', path, change: created ? 'create' : 'update', toolCallId: id }];
  });
}
