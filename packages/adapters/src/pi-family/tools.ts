import { type EventBody, type ToolKind, toJson } from '@agent-mux/core';
import { readOutput } from '../shared/content.ts';
import { entryOf, type Json, record, setEntry, word } from '../shared/json.ts';
import type { PiDialect } from './dialect.ts';
import type { PiState } from './state.ts';

export function startTool(id: string, name: string, state: PiState): EventBody[] {
  if (entryOf(state.tools, id)) return [];
  setEntry(state.tools, id, { name, ready: false, running: false, input: null, output: '' });
  return mcpTool(name, state) ? [] : [{ type: 'tool_call_start', toolCallId: id, toolName: name }];
}

export function toolReady(id: string, name: string, input: unknown, state: PiState, dialect: PiDialect): EventBody[] {
  const started = startTool(id, name, state);
  const tool = entryOf(state.tools, id);
  if (!tool || tool.ready) return started;
  tool.ready = true;
  tool.input = input;
  const mcp = mcpTool(name, state);
  if (mcp) return [...started, { type: 'mcp_tool_call_start', toolCallId: id, ...mcp, input }];
  const kind = kindOfCall(name, input, dialect);
  return [...started, { type: 'tool_call_ready', toolCallId: id, toolName: name, ...kind, input }];
}

export function kindOfCall(name: string, input: unknown, dialect: PiDialect): { kind?: ToolKind } {
  const kind = dialect.kindOfCall?.(name, input);
  return kind === undefined ? {} : { kind };
}

export function toolInput(id: string, delta: string, state: PiState): EventBody[] {
  const tool = entryOf(state.tools, id);
  return tool && !mcpTool(tool.name, state) ? [{ type: 'tool_input_delta', toolCallId: id, delta }] : [];
}

/** The longest prefix wins: one server's name may be a prefix of another's. */
function mcpTool(name: string, { mcpServers }: PiState): { server: string; toolName: string } | undefined {
  const prefixes = Object.keys(mcpServers).filter((prefix) => name.startsWith(prefix));
  const longest = prefixes.sort((a, b) => b.length - a.length)[0];
  const server = longest === undefined ? undefined : entryOf(mcpServers, longest);
  return longest !== undefined && server !== undefined ? { server, toolName: name.slice(longest.length) } : undefined;
}

export function toolRuns(line: Json, state: PiState, dialect: PiDialect): EventBody[] {
  const id = word(line.toolCallId);
  if (!id) return [];
  const events = toolReady(id, word(line.toolName) ?? '', line.args, state, dialect);
  const tool = entryOf(state.tools, id);
  if (tool) tool.running = true;
  return events;
}

/** `partialResult` holds the whole output so far; once it is truncated at its head, there are no more deltas. */
export function toolOutput(line: Json, state: PiState): EventBody[] {
  const id = word(line.toolCallId);
  const tool = id ? entryOf(state.tools, id) : undefined;
  if (!id || !tool) return [];
  const before = tool.output;
  const now = readOutput(record(line.partialResult).content);
  if (typeof now !== 'string') return [];
  tool.output = now;
  if (now.length <= before.length || !now.startsWith(before)) return [];
  return [{ type: 'tool_output_delta', toolCallId: id, delta: now.slice(before.length) }];
}

export function endTool(line: Json, state: PiState, dialect: PiDialect): EventBody[] {
  const id = word(line.toolCallId);
  if (!id) return [];
  const toolName = word(line.toolName) ?? entryOf(state.tools, id)?.name ?? '';
  const input = record(entryOf(state.tools, id)?.input);
  delete state.tools[id];
  const result = record(line.result);
  const output = readOutput(result.content);
  const mcp = mcpTool(toolName, state);
  if (line.isError === true) {
    const error = typeof output === 'string' ? output : toJson(output);
    const denied = entryOf(state.denied, id) === true || dialect.isRefusal(error);
    delete state.denied[id];
    if (mcp) return [{ type: 'mcp_tool_error', toolCallId: id, ...mcp, error }];
    return [{ type: 'tool_error', toolCallId: id, toolName, error, ...(denied ? { denied } : {}) }];
  }
  if (mcp) return [{ type: 'mcp_tool_result', toolCallId: id, ...mcp, output }];
  const kind = entryOf(dialect.toolKinds, toolName);
  return [
    // A failed command is an error result.
    { type: 'tool_result', toolCallId: id, toolName, output, ...(kind === 'execute' ? { exitCode: 0 } : {}) },
    ...(kind === 'edit' ? fileChange(id, word(input.path), record(result.details)) : []),
  ];
}

/** `edit` has a patch. `write` does not say whether the file existed: reported as an update, which is always true. */
function fileChange(toolCallId: string, path: string | undefined, details: Json): EventBody[] {
  if (!path) return [];
  const diff = word(details.patch);
  return [{ type: 'file_change', path, change: 'update', toolCallId, ...(diff ? { diff } : {}) }];
}
