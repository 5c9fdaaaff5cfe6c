import { type EventBody, type PlanEntry, parseIfJson, toJson } from '@agent-mux/core';
import { readOutput } from '../shared/content.ts';
import { entryOf, type Json, record, records, setEntry, withPiece, word } from '../shared/json.ts';
import type { StreamDialect } from './dialect.ts';
import { MAIN, type OpenTool, type StreamState } from './state.ts';

/** `mcp__<server>__<tool>`. */
export function mcpName(name: string): { server: string; tool: string } | null {
  if (!name.startsWith('mcp__')) return null;
  const rest = name.slice('mcp__'.length);
  const cut = rest.indexOf('__');
  return cut > 0 ? { server: rest.slice(0, cut), tool: rest.slice(cut + 2) } : null;
}

export function parentOf(scope: string): { parentToolCallId?: string } {
  return scope === MAIN ? {} : { parentToolCallId: scope };
}

/**
 * A tool call becomes visible. An MCP call is emitted once its input is complete: its start event carries the input.
 */
export function startTool(id: string, name: string, scope: string, state: StreamState): EventBody[] {
  if (entryOf(state.tools, id)) return [];
  setEntry(state.tools, id, { name, json: '', ready: false, ...(scope === MAIN ? {} : { parent: scope }) });
  return mcpName(name) ? [] : [{ type: 'tool_call_start', toolCallId: id, toolName: name, ...parentOf(scope) }];
}

export function toolInput(id: string, delta: string, scope: string, state: StreamState): EventBody[] {
  const tool = entryOf(state.tools, id);
  if (!tool || tool.ready || delta === '') return [];
  tool.json = withPiece(tool.json, delta);
  return mcpName(tool.name) ? [] : [{ type: 'tool_input_delta', toolCallId: id, delta, ...parentOf(scope) }];
}

/** The input is complete: from the `assistant` line, else from the pieces. */
export function readyTool(id: string, whole: unknown, state: StreamState, dialect: StreamDialect): EventBody[] {
  const tool = entryOf(state.tools, id);
  if (!tool || tool.ready) return [];
  const input = whole ?? parseInput(tool.json);
  tool.ready = true;
  tool.json = '';
  const path = dialect.changedPath?.(tool.name, record(input));
  if (path) tool.path = path;
  const mcp = mcpName(tool.name);
  if (mcp) return [{ type: 'mcp_tool_call_start', toolCallId: id, server: mcp.server, toolName: mcp.tool, input }];
  const parent = parentOf(tool.parent ?? MAIN);
  return [
    { type: 'tool_call_ready', toolCallId: id, toolName: tool.name, input, ...parent },
    ...meaningOfInput(id, tool, record(input), dialect, state),
  ];
}

/** Additional events of some tools. */
function meaningOfInput(
  id: string,
  tool: OpenTool,
  input: Json,
  dialect: StreamDialect,
  state: StreamState,
): EventBody[] {
  if (dialect.planTools.includes(tool.name)) {
    const entries = planEntries(input.todos);
    return entries.length > 0 ? [{ type: 'plan_update', entries }] : [];
  }
  if (tool.name === dialect.skillTool) {
    const name = word(input.skill) ?? word(input.command);
    return name ? [{ type: 'skill_invoked', name }] : [];
  }
  if (!dialect.announcesSubagents && dialect.subagentTools.includes(tool.name)) {
    setEntry(state.subagents, id, id);
    const name = word(input.subagent_type);
    const prompt = word(input.prompt);
    return [
      {
        type: 'subagent_start',
        subagentId: id,
        toolCallId: id,
        ...(name ? { name } : {}),
        ...(prompt ? { prompt } : {}),
      },
    ];
  }
  return [];
}

function planEntries(todos: unknown): PlanEntry[] {
  return records(todos).flatMap((todo) => {
    const content = word(todo.content);
    const status = todo.status;
    if (!content || (status !== 'pending' && status !== 'in_progress' && status !== 'completed')) return [];
    return [{ content, status }];
  });
}

/** The `tool_result` blocks of a `user` line. */
export function toolResults(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  const events: EventBody[] = [];
  const meta = records(line.tool_result_meta);
  for (const entry of records(record(line.message).content)) {
    if (entry.type !== 'tool_result') continue;
    const block = dialect.resultContent ? { ...entry, content: dialect.resultContent(entry.content) } : entry;
    const id = word(block.tool_use_id);
    const tool = id ? entryOf(state.tools, id) : undefined;
    if (!id || !tool) continue;
    events.push(...readyTool(id, undefined, state, dialect));
    delete state.tools[id];
    const verdict = record(meta.find((entry) => entry.id === id)?.permission_decision).decision;
    const text = asText(readOutput(block.content));
    const denied = verdict === 'reject' || entryOf(state.denied, id) !== undefined || dialect.isDenial?.(text) === true;
    delete state.denied[id];
    events.push(...endTool(tool, { id, block, native: line.tool_use_result, denied }, state, dialect));
  }
  return events;
}

function endTool(
  tool: OpenTool,
  { id, block, native, denied }: { id: string; block: Json; native: unknown; denied: boolean },
  state: StreamState,
  dialect: StreamDialect,
): EventBody[] {
  const events: EventBody[] = [];
  const output = readOutput(block.content);
  const failed = block.is_error === true;
  const mcp = mcpName(tool.name);
  const parent = parentOf(tool.parent ?? MAIN);
  if (mcp) {
    events.push(
      failed
        ? { type: 'mcp_tool_error', toolCallId: id, server: mcp.server, toolName: mcp.tool, error: asText(output) }
        : { type: 'mcp_tool_result', toolCallId: id, server: mcp.server, toolName: mcp.tool, output },
    );
    return events;
  }
  if (failed) {
    const error = asText(output);
    events.push({
      type: 'tool_error',
      toolCallId: id,
      toolName: tool.name,
      error,
      ...(denied ? { denied } : {}),
      ...parent,
    });
  } else {
    const exitCode = dialect.exitCode?.(tool.name, asText(output), native);
    events.push({
      type: 'tool_result',
      toolCallId: id,
      toolName: tool.name,
      output,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...parent,
    });
    const change = dialect.fileChange?.(tool.name, native);
    if (change) events.push({ ...change, toolCallId: id });
    else if (tool.path) events.push({ type: 'file_change', path: tool.path, change: 'update', toolCallId: id });
  }
  if (entryOf(state.subagents, id) === id) {
    delete state.subagents[id];
    const summary = typeof output === 'string' ? output : undefined;
    events.push({
      type: 'subagent_end',
      subagentId: id,
      toolCallId: id,
      status: denied ? 'cancelled' : failed ? 'failed' : 'completed',
      ...(summary ? { summary } : {}),
    });
  }
  return events;
}

/** Calls that were started in blocks the agent abandoned. */
export function abandonTools(ids: readonly string[], state: StreamState): EventBody[] {
  return ids.flatMap((id): EventBody[] => {
    const tool = entryOf(state.tools, id);
    if (!tool) return [];
    delete state.tools[id];
    if (mcpName(tool.name)) return [];
    const error = 'The agent gave up this request before the call was whole.';
    return [{ type: 'tool_error', toolCallId: id, toolName: tool.name, error, ...parentOf(tool.parent ?? MAIN) }];
  });
}

function asText(output: unknown): string {
  return typeof output === 'string' ? output : toJson(output);
}

function parseInput(json: string): unknown {
  return json === '' ? {} : parseIfJson(json);
}
