import type { EventBody, ParseContext, TurnStatus } from '@agent-mux/core';
import {
  amount,
  entryOf,
  isRecord,
  type Json,
  number,
  parseRecord,
  record,
  records,
  setEntry,
  tableOf,
  text,
  word,
} from '../shared/json.ts';
import { splitToolName } from '../shared/mcp-servers.ts';
import { readClineError } from './errors.ts';

const STATUS: Readonly<Record<string, TurnStatus>> = { completed: 'completed', aborted: 'interrupted' };

/** One line of `cline --json` (3.0.65). It contains no session id. */
export function parseClineLine(line: string, context: ParseContext): EventBody[] | null {
  const message = parseRecord(line);
  if (!message) return null;
  const state = context.adapterState;
  switch (message.type) {
    case 'hook_event':
      return message.hookEventName === 'agent_start' && message.parentAgentId === null ? start(state, context) : [];
    case 'agent_event':
      return decode(record(message.event), state, context);
    case 'run_result':
      return runResult(message, state);
    case 'error':
      return failTurn(text(message.message) ?? 'the run failed', undefined, state);
    default:
      return [];
  }
}

function start(state: Json, { options }: ParseContext): EventBody[] {
  if (state.started) return [];
  state.started = true;
  return [{ type: 'session_start', cwd: options.cwd, ...(options.model ? { model: options.model } : {}) }];
}

function decode(event: Json, state: Json, context: ParseContext): EventBody[] {
  switch (event.type) {
    case 'content_start':
      return contentStart(event, state, context);
    case 'content_update':
      return toolOutput(event);
    case 'content_end':
      if (event.contentType === 'tool') return toolEnd(event, state);
      return event.contentType === 'text' ? [{ type: 'message_stop' }] : [];
    case 'usage':
      return [usageOf(event, 'total')];
    case 'error': {
      const error = record(event.error);
      return failTurn(text(error.message) ?? 'the run failed', text(event.errorClass), state);
    }
    default:
      return [];
  }
}

/** The end of thinking is reported only after the text that follows it. */
function contentStart(event: Json, state: Json, context: ParseContext): EventBody[] {
  if (event.contentType === 'reasoning') {
    state.thinking = true;
    return [{ type: 'thinking_delta', delta: text(event.reasoning) ?? '' }];
  }
  const before: EventBody[] = state.thinking ? [{ type: 'thinking_stop' }] : [];
  state.thinking = false;
  if (event.contentType === 'tool') return [...before, ...toolStart(event, state, context)];
  // `accumulated` repeats the whole text so far.
  return [...before, { type: 'text_delta', delta: text(event.text) ?? '' }];
}

function toolStart(event: Json, state: Json, { options }: ParseContext): EventBody[] {
  const toolCallId = text(event.toolCallId) ?? '';
  const toolName = text(event.toolName) ?? 'tool';
  const input = event.input ?? {};
  const mcp = splitToolName(toolName, Object.keys(options.mcpServers ?? {}));
  if (mcp) {
    setEntry<unknown>(tableOf(state, 'mcp'), toolCallId, mcp);
    return [{ type: 'mcp_tool_call_start', toolCallId, server: mcp.server, toolName: mcp.tool, input }];
  }
  return [
    { type: 'tool_call_start', toolCallId, toolName },
    { type: 'tool_call_ready', toolCallId, toolName, input },
  ];
}

function toolOutput(event: Json): EventBody[] {
  const delta = word(record(event.update).chunk);
  const toolCallId = word(event.toolCallId);
  return delta && toolCallId ? [{ type: 'tool_output_delta', toolCallId, delta }] : [];
}

function toolEnd(event: Json, state: Json): EventBody[] {
  const toolCallId = text(event.toolCallId) ?? '';
  const toolName = text(event.toolName) ?? 'tool';
  const output = event.output ?? null;
  const error = toolFailure(event);
  const mcp = record(entryOf(record(state.mcp), toolCallId));
  const server = text(mcp.server);
  if (server !== undefined) {
    const tool = text(mcp.tool) ?? toolName;
    if (error !== undefined) return [{ type: 'mcp_tool_error', toolCallId, server, toolName: tool, error }];
    return [{ type: 'mcp_tool_result', toolCallId, server, toolName: tool, output }];
  }
  if (error === undefined) return [{ type: 'tool_result', toolCallId, toolName, output }];
  const denied = /requires approval in a TTY session/.test(error);
  return [{ type: 'tool_error', toolCallId, toolName, error, output, ...(denied ? { denied } : {}) }];
}

/** A call may hold several commands, each with its own end; one failure makes the call a failure. */
function toolFailure(event: Json): string | undefined {
  const { output } = event;
  if (isRecord(output) && word(output.error)) return word(output.error);
  if (word(event.error)) return word(event.error);
  const bad = records(output).find((part) => part.success === false);
  return bad && (word(bad.result) ?? word(bad.error) ?? 'the tool failed');
}

function usageOf(counts: Json, prefix: '' | 'total', model?: string): EventBody {
  const name = (count: string) => (prefix ? `total${count[0]!.toUpperCase()}${count.slice(1)}` : count);
  const count = (of: string) => amount(counts[name(of)]) ?? null;
  const [inputTokens, outputTokens] = [count('inputTokens'), count('outputTokens')];
  const costUsd = amount(counts.totalCost) ?? null;
  return {
    type: 'cost',
    usage: {
      inputTokens,
      outputTokens,
      cacheReadTokens: count('cacheReadTokens'),
      cacheCreationTokens: count('cacheWriteTokens'),
      totalTokens: inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens,
    },
    costUsd,
    scope: 'turn',
    source: 'reported',
    ...(model ? { model } : {}),
  };
}

function runResult(message: Json, state: Json): EventBody[] {
  const usage = record(message.aggregateUsage);
  const counted = (number(usage.outputTokens) ?? 0) > 0;
  const cost = counted ? [usageOf(usage, '', word(record(message.model).id))] : [];
  const status = entryOf(STATUS, text(message.finishReason) ?? '') ?? 'failed';
  if (status === 'interrupted') return [...cost, { type: 'interrupted', by: 'agent' }, { type: 'turn_end', status }];
  const failure = status === 'failed' ? failTurn(word(message.text) ?? 'the run failed', undefined, state) : [];
  return [...cost, ...failure, { type: 'turn_end', status }];
}

/** The same error is reported up to three times. */
function failTurn(message: string, errorClass: string | undefined, state: Json): EventBody[] {
  if (state.failed) return [];
  state.failed = true;
  return [readClineError(message, errorClass)];
}
