import type { EventBody, ParseContext, PlanEntry, TokenUsage } from '@agent-mux/core';
import { entryOf, type Json, number, parseRecord, record, setEntry, tableOf, text, word } from '../shared/json.ts';
import { EXIT_MAX_TURNS, exitMeaning, readGeminiError, readGeminiStderr } from './errors.ts';

/** One line of `gemini -o stream-json` (0.61.0), or of any mode's stderr. This mode does not print thinking. */
export function parseGeminiLine(line: string, context: ParseContext): EventBody[] | null {
  if (context.source === 'stderr') return readGeminiStderr(line, context.adapterState);
  const message = parseRecord(line);
  if (!message) return null;
  const state = context.adapterState;
  switch (message.type) {
    case 'init':
      return [
        {
          type: 'session_start',
          sessionId: word(message.session_id),
          model: word(message.model),
          cwd: context.options.cwd,
        },
      ];
    case 'message':
      return message.role === 'assistant' ? [{ type: 'text_delta', delta: text(message.content) ?? '' }] : [];
    case 'tool_use':
      return toolUse(message, state, context);
    case 'tool_result':
      return toolResult(message, state);
    case 'error':
      return [{ type: 'debug', level: 'warn', code: 'gemini_error', message: text(message.message) ?? '' }];
    case 'result':
      state.ended = true;
      return result(message);
    default:
      return [];
  }
}

/** Without a `result` the process did not reach the end of its turn, whatever its exit code says. */
export function endGemini(context: ParseContext, exit: { code: number | null; signal: string | null }): EventBody[] {
  if (context.adapterState.ended) return [];
  if (exit.code === EXIT_MAX_TURNS) return [{ type: 'turn_end', status: 'max_turns' }];
  const meaning = exitMeaning(exit.code);
  if (meaning) return [meaning, { type: 'turn_end', status: 'failed' }];
  if (exit.code === 0)
    return [
      { type: 'interrupted', by: 'agent' },
      { type: 'turn_end', status: 'interrupted' },
    ];
  return [];
}

/** `mcp_<server>_<tool>`: only the list of configured servers shows which server it is. */
export function geminiMcpTool(name: string, servers: readonly string[]): { server: string; tool: string } | undefined {
  const server = servers.find((candidate) => name.startsWith(`mcp_${candidate}_`));
  return server === undefined ? undefined : { server, tool: name.slice(server.length + 5) };
}

interface OpenTool {
  name: string;
  server?: string;
}

function toolUse(message: Json, state: Json, context: ParseContext): EventBody[] {
  const toolCallId = text(message.tool_id) ?? '';
  const name = text(message.tool_name) ?? 'tool';
  const input = message.parameters ?? {};
  const mcp = geminiMcpTool(name, Object.keys(context.options.mcpServers ?? {}));
  const open: OpenTool = mcp ? { name: mcp.tool, server: mcp.server } : { name };
  setEntry<unknown>(tableOf(state, 'tools'), toolCallId, open);
  if (mcp)
    return [
      { type: 'message_stop' },
      { type: 'mcp_tool_call_start', toolCallId, server: mcp.server, toolName: mcp.tool, input },
    ];
  return [
    { type: 'message_stop' },
    { type: 'tool_call_start', toolCallId, toolName: name },
    { type: 'tool_call_ready', toolCallId, toolName: name, input },
    ...planOf(name, input),
  ];
}

function planOf(name: string, input: unknown): EventBody[] {
  if (name !== 'write_todos') return [];
  const todos = record(input).todos;
  if (!Array.isArray(todos)) return [];
  const entries = todos.map((todo): PlanEntry => {
    const { description, status } = record(todo);
    return {
      content: text(description) ?? '',
      status: status === 'completed' || status === 'in_progress' ? status : 'pending',
    };
  });
  return [{ type: 'plan_update', entries }];
}

function toolResult(message: Json, state: Json): EventBody[] {
  const toolCallId = text(message.tool_id) ?? '';
  const tool = record(entryOf(record(state.tools), toolCallId));
  const toolName = text(tool.name) ?? 'tool';
  const server = text(tool.server);
  const output = text(message.output) ?? '';
  if (message.status === 'error') {
    const error = text(record(message.error).message) ?? output;
    if (server !== undefined) return [{ type: 'mcp_tool_error', toolCallId, server, toolName, error }];
    const denied = /not_registered|policy_violation/.test(text(record(message.error).type) ?? '');
    return [{ type: 'tool_error', toolCallId, toolName, error, ...(denied ? { denied: true } : {}) }];
  }
  if (server !== undefined) return [{ type: 'mcp_tool_result', toolCallId, server, toolName, output }];
  const exit = /^Command exited with code: (\d+)/m.exec(output);
  if (exit && exit[1] !== '0') return [{ type: 'tool_error', toolCallId, toolName, error: output }];
  return [{ type: 'tool_result', toolCallId, toolName, output }];
}

function result(message: Json): EventBody[] {
  const usage = usageOf(record(message.stats));
  const cost: EventBody[] = usage ? [{ type: 'cost', usage, costUsd: null, scope: 'delta', source: 'reported' }] : [];
  if (message.status !== 'error') return [...cost, { type: 'turn_end', status: 'completed' }];
  return [
    ...cost,
    ...readGeminiError(text(record(message.error).message) ?? 'the turn failed', null),
    { type: 'turn_end', status: 'failed' },
  ];
}

/** `input_tokens` includes cached tokens; `input` does not, and they are separate here. */
function usageOf(stats: Json): TokenUsage | null {
  const total = number(stats.total_tokens);
  if (total === undefined || total === 0) return null;
  return {
    inputTokens: number(stats.input) ?? number(stats.input_tokens) ?? null,
    outputTokens: number(stats.output_tokens) ?? null,
    cacheReadTokens: number(stats.cached) ?? null,
    cacheCreationTokens: null,
    totalTokens: total,
  };
}
