import type { EventBody, PlanEntry, TokenUsage } from '@agent-mux/core';
import { amount, entryOf, isRecord, type Json, record, records, setEntry, text, word } from '../shared/json.ts';
import { closeThinking } from '../shared/thinking.ts';
import type { OpenTool, TurnState } from './state.ts';

export function textDelta(messageId: string, delta: string, model: string | null, state: TurnState): EventBody[] {
  const said: EventBody = { type: 'text_delta', delta };
  if (state.message === messageId) return [said];
  const start: EventBody = { type: 'message_start', messageId, ...(model ? { model } : {}) };
  const before = [...closeThinking(state), ...closeMessage(state)];
  state.message = messageId;
  state.emitted = messageId;
  return [...before, start, said];
}

export function closeMessage(state: TurnState): EventBody[] {
  if (state.message === null) return [];
  const messageId = state.message;
  state.message = null;
  return [{ type: 'message_stop', messageId }];
}

export function startTool(toolCallId: string, fullName: string, input: unknown, state: TurnState): EventBody[] {
  const known = entryOf(state.tools, toolCallId);
  if (known) {
    if (!known.ready) known.input = input;
    return [];
  }
  const cut = fullName.indexOf('___');
  const server = cut > 0 ? fullName.slice(0, cut) : null;
  const name = server === null ? fullName : fullName.slice(cut + 3);
  setEntry(state.tools, toolCallId, { name, server, input, ready: false });
  const start: EventBody = { type: 'tool_call_start', toolCallId, toolName: name };
  return [...closeThinking(state), ...(server === null ? [start] : [])];
}

/** The input is complete. */
export function readyTool(toolCallId: string, input: unknown, state: TurnState): EventBody[] {
  const tool = entryOf(state.tools, toolCallId);
  if (!tool || tool.ready) return [];
  tool.ready = true;
  tool.input = input;
  const { name: toolName, server } = tool;
  if (server !== null) return [{ type: 'mcp_tool_call_start', toolCallId, server, toolName, input }];
  const ready: EventBody = { type: 'tool_call_ready', toolCallId, toolName, input };
  return toolName === 'TodoWrite' ? [ready, ...planUpdate(input)] : [ready];
}

/** The first one counts: an interrupt reports the end of a call twice. */
export function endTool(
  toolCallId: string,
  { output, error }: { output: unknown; error: string | null },
  state: TurnState,
): EventBody[] {
  const tool = entryOf(state.tools, toolCallId);
  if (!tool) return [];
  const start = readyTool(toolCallId, tool.input, state);
  delete state.tools[toolCallId];
  const { name: toolName, server } = tool;
  if (error !== null) {
    const denied = state.denied.includes(toolCallId) || REFUSED.test(error);
    const failed: EventBody =
      server === null
        ? { type: 'tool_error', toolCallId, toolName, error, ...(denied ? { denied } : {}) }
        : { type: 'mcp_tool_error', toolCallId, server, toolName, error };
    return [...start, failed];
  }
  if (server !== null) return [...start, { type: 'mcp_tool_result', toolCallId, server, toolName, output }];
  const exitCode = toolName === 'Execute' ? exitCodeOf(output) : undefined;
  const result: EventBody = {
    type: 'tool_result',
    toolCallId,
    toolName,
    output,
    ...(exitCode === undefined ? {} : { exitCode }),
  };
  return [...start, result, ...fileChange(toolCallId, tool)];
}

/** In spec mode, for a disabled tool, and in exec, which cannot ask. */
const REFUSED = /Spec mode is active|is not permitted in this exec session|insufficient permission to proceed/;

function exitCodeOf(output: unknown): number | undefined {
  const code = /\[Process exited with code (\d+)\]\s*$/.exec(text(output) ?? '')?.[1];
  return code === undefined ? undefined : Number(code);
}

const CHANGES: Readonly<Record<string, 'create' | 'update'>> = { Create: 'create', Edit: 'update' };

function fileChange(toolCallId: string, { name, input }: OpenTool): EventBody[] {
  const change = entryOf(CHANGES, name);
  const path = word(record(input).file_path);
  return change && path ? [{ type: 'file_change', path, change, toolCallId }] : [];
}

const PLAN_LINE = /^\s*\d+\.\s*\[(completed|in_progress|pending)\]\s*(.+)$/;

/** A numbered list as one text. */
function planUpdate(input: unknown): EventBody[] {
  const entries = (text(record(input).todos) ?? '').split('\n').flatMap((line): PlanEntry[] => {
    const [, status, content] = PLAN_LINE.exec(line) ?? [];
    if (content === undefined) return [];
    return [{ content, status: status === 'completed' || status === 'in_progress' ? status : 'pending' }];
  });
  return entries.length > 0 ? [{ type: 'plan_update', entries }] : [];
}

/** Output of a tool. Not `readOutput`: a block of any type has its text here. */
export function contentText(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? '';
  const parts = records(content).map((block) => text(block.text));
  return parts.every((part) => part !== undefined) ? parts.join('\n') : content;
}

export function costEvent(reported: unknown, names: UsageNames, model: string | null): EventBody[] {
  const usage = tokenUsage(reported, names);
  // A truncated turn reports zero for everything, whatever the model has counted.
  if (!usage?.totalTokens) return [];
  return [{ type: 'cost', usage, costUsd: null, scope: 'turn', source: 'reported', ...(model ? { model } : {}) }];
}

export function tokenUsage(usage: unknown, names: UsageNames): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const [input, output, cacheRead, cacheCreation] = names.map((name) => count(usage, name));
  const known = [input, output, cacheRead, cacheCreation].filter((one) => one !== null && one !== undefined);
  return {
    inputTokens: input ?? null,
    outputTokens: output ?? null,
    cacheReadTokens: cacheRead ?? null,
    cacheCreationTokens: cacheCreation ?? null,
    totalTokens: known.reduce((sum, one) => sum + one, 0),
  };
}

/** Uncached input, output, cache reads, cache writes. */
type UsageNames = readonly [string, string, string, string];

function count(usage: Json, name: string): number | null {
  return amount(usage[name]) ?? null;
}
