import type { EventBody, ParseContext } from '@agent-mux/core';
import { decodeLine } from '../claude-stream/index.ts';
import { closeMessage } from '../claude-stream/messages.ts';
import { PLAIN_DIALECT, streamStateOf } from '../claude-stream/plain.ts';
import { MAIN } from '../claude-stream/state.ts';
import { isRecord, type Json, parseRecord, record, text, word } from '../shared/json.ts';

/**
 * One line of `cursor-agent --print --output-format stream-json`: Claude's format, with its own lines for tools and
 * thinking.
 */
export function parseCursorLine(line: string, context: ParseContext): EventBody[] | null {
  const message = parseRecord(line);
  if (!message) return null;
  if (message.type === 'thinking') return thinking(message);
  const state = streamStateOf(context);
  if (message.type === 'tool_call') return [...closeMessage(MAIN, state, PLAIN_DIALECT), ...toolCall(message)];
  return decodeLine(line, state, PLAIN_DIALECT)?.events ?? null;
}

function thinking(message: Json): EventBody[] {
  const delta = text(message.text) ?? '';
  if (message.subtype === 'completed') return [{ type: 'thinking_stop' }];
  return delta === '' ? [] : [{ type: 'thinking_delta', delta }];
}

/** `{"<name>ToolCall": {args, result?}}`; tools without their own format are under `function`. */
function toolCall(message: Json): EventBody[] {
  const toolCallId = word(message.call_id) ?? '';
  const entry = Object.entries(record(message.tool_call)).find(([, value]) => isRecord(value));
  if (toolCallId === '' || !entry) return [];
  const call = record(entry[1]);
  const toolName = word(call.name) ?? (entry[0].replace(/ToolCall$/, '') || 'tool');
  if (message.subtype === 'started') {
    return [
      { type: 'tool_call_start', toolCallId, toolName },
      { type: 'tool_call_ready', toolCallId, toolName, input: call.args ?? call.arguments ?? {} },
    ];
  }
  return message.subtype === 'completed' ? endTool(toolCallId, toolName, record(call.result)) : [];
}

/** Anything other than `success` is the reason for a failure. */
function endTool(toolCallId: string, toolName: string, result: Json): EventBody[] {
  const reason = Object.entries(result).find(([name]) => name !== 'success');
  if (!isRecord(result.success) && reason) {
    const error = word(reason[1]) ?? word(record(reason[1]).message) ?? reason[0];
    return [{ type: 'tool_error', toolCallId, toolName, error, ...(reason[0] === 'rejected' ? { denied: true } : {}) }];
  }
  return [{ type: 'tool_result', toolCallId, toolName, output: result.success ?? '' }];
}
