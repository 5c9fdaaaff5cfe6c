import type { EventBody, PlanEntry } from '@agent-mux/core';
import { entryOf, type Json, number, record, records, setEntry, text, word } from '../shared/json.ts';

export interface SeenTool {
  callId: string;
  name: string;
  /** The MCP server that it belongs to. */
  server?: string;
  stage: 'started' | 'ready' | 'done';
  /** How much of its output was already emitted. */
  emitted: number;
  sessionId: string;
}

export interface ToolContext {
  mcpServers: readonly string[];
  /** The call of the subagent that uses this tool. */
  parent: string | undefined;
  sessionId: string;
}

const DENIED = /^(The user rejected permission|The user has specified a rule which prevents)/;

/** A `tool` part: pending, then running (repeated while its output grows), then completed or error. */
export function toolEvents(part: Json, seen: Record<string, SeenTool>, context: ToolContext): EventBody[] {
  const id = word(part.id);
  const name = word(part.tool);
  if (!id || !name) return [];
  const state = record(part.state);
  const status = text(state.status);
  const events: EventBody[] = [];
  let tool = entryOf(seen, id);
  if (!tool) {
    tool = { callId: word(part.callID) ?? id, name, stage: 'started', emitted: 0, sessionId: context.sessionId };
    const server = serverOf(name, context.mcpServers);
    if (server) tool.server = server;
    setEntry(seen, id, tool);
    if (!server) events.push({ type: 'tool_call_start', toolCallId: tool.callId, toolName: name, ...parent(context) });
  }
  if (tool.stage === 'done' || status === 'pending') return events;
  if (tool.stage === 'started') events.push(...readyEvents(tool, state.input, context));
  if (status === 'running') events.push(...outputEvents(tool, record(state.metadata)));
  else if (status === 'completed' || status === 'error') events.push(...endEvents(tool, status, state, context));
  return events;
}

function readyEvents(tool: SeenTool, input: unknown, context: ToolContext): EventBody[] {
  tool.stage = 'ready';
  const { callId: toolCallId, server } = tool;
  if (server)
    return [{ type: 'mcp_tool_call_start', toolCallId, server, toolName: bareName(tool), input: input ?? {} }];
  return [{ type: 'tool_call_ready', toolCallId, toolName: tool.name, input: input ?? {}, ...parent(context) }];
}

/** New output of a running command; each update repeats the whole output, truncated at the front if it is long. */
function outputEvents(tool: SeenTool, metadata: Json): EventBody[] {
  const output = text(metadata.output) ?? '';
  if (tool.server || output.length <= tool.emitted) return [];
  const delta = output.slice(tool.emitted);
  tool.emitted = output.length;
  return [{ type: 'tool_output_delta', toolCallId: tool.callId, delta }];
}

function endEvents(tool: SeenTool, status: 'completed' | 'error', state: Json, context: ToolContext): EventBody[] {
  tool.stage = 'done';
  const { callId: toolCallId, server } = tool;
  const error = text(state.error) ?? 'the tool failed';
  if (server) {
    const about = { toolCallId, server, toolName: bareName(tool) };
    return status === 'error'
      ? [{ type: 'mcp_tool_error', ...about, error }]
      : [{ type: 'mcp_tool_result', ...about, output: state.output ?? '' }];
  }
  const about = { toolCallId, toolName: tool.name };
  if (status === 'error') {
    return [
      { type: 'tool_error', ...about, error, ...(DENIED.test(error) ? { denied: true } : {}), ...parent(context) },
    ];
  }
  const metadata = record(state.metadata);
  const exitCode = number(metadata.exit);
  const exit = exitCode === undefined ? {} : { exitCode };
  return [
    { type: 'tool_result', ...about, output: state.output ?? '', ...exit, ...parent(context) },
    ...fileChanges(tool, metadata),
  ];
}

/** `write` says whether the file existed, `edit` has the diff, `apply_patch` a list of files. */
function fileChanges({ name, callId: toolCallId }: SeenTool, metadata: Json): EventBody[] {
  const path = word(metadata.filepath);
  if (name === 'write' && path) {
    return [{ type: 'file_change', path, change: metadata.exists === false ? 'create' : 'update', toolCallId }];
  }
  const edited = record(metadata.filediff);
  const file = word(edited.file);
  if (name === 'edit' && file) {
    const diff = word(metadata.diff);
    return [{ type: 'file_change', path: file, change: 'update', toolCallId, ...(diff ? { diff } : {}) }];
  }
  if (name !== 'apply_patch') return [];
  return records(metadata.files).flatMap((one): EventBody[] => {
    const changed = word(one.filePath) ?? word(one.file);
    const diff = word(one.diff) ?? word(one.patch);
    const change = one.type === 'add' ? 'create' : one.type === 'delete' ? 'delete' : 'update';
    return changed ? [{ type: 'file_change', path: changed, change, toolCallId, ...(diff ? { diff } : {}) }] : [];
  });
}

/** Tools of MCP servers are named `<server>_<tool>`; the longest server name wins. */
export function serverOf(name: string, servers: readonly string[]): string | undefined {
  return servers
    .filter((server) => name.startsWith(`${safeName(server)}_`))
    .sort((a, b) => b.length - a.length)
    .at(0);
}

function bareName({ name, server }: SeenTool): string {
  return server ? name.slice(safeName(server).length + 1) : name;
}

function safeName(server: string): string {
  return server.replace(/[^A-Za-z0-9_-]/g, '_');
}

function parent({ parent: parentToolCallId }: ToolContext): { parentToolCallId?: string } {
  return parentToolCallId === undefined ? {} : { parentToolCallId };
}

export function planEntries(todos: unknown): PlanEntry[] {
  return records(todos).flatMap(({ content, status, priority }): PlanEntry[] => {
    if (typeof content !== 'string' || status === 'cancelled') return [];
    const entry: PlanEntry = {
      content,
      status: status === 'completed' || status === 'in_progress' ? status : 'pending',
    };
    if (priority === 'high' || priority === 'medium' || priority === 'low') entry.priority = priority;
    return [entry];
  });
}
