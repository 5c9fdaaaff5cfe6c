import type { EventBody, ParseContext } from '@agent-mux/core';
import { entryOf, type Json, parseRecord, record, records, setEntry, text, word } from '../shared/json.ts';

/**
 * One line of `vibe --prompt --output streaming`: a whole message of the conversation, including those of the system
 * and the user.
 */
export function parseVibeLine(line: string, context: ParseContext): EventBody[] | null {
  const message = parseRecord(line);
  if (!message || word(message.role) === undefined) return null;
  const tools = record(context.adapterState.tools);
  context.adapterState.tools = tools;
  if (message.role === 'assistant') return assistant(message, tools);
  return message.role === 'tool' ? toolResult(message, tools) : [];
}

function assistant(message: Json, tools: Json): EventBody[] {
  const events: EventBody[] = [];
  const messageId = word(message.message_id);
  const thought = word(message.reasoning_content);
  const said = word(message.content);
  if (thought || said) events.push({ type: 'message_start', ...(messageId ? { messageId } : {}) });
  if (thought)
    events.push({ type: 'thinking_start' }, { type: 'thinking_delta', delta: thought }, { type: 'thinking_stop' });
  if (said) events.push({ type: 'text_delta', delta: said });
  if (thought || said) events.push({ type: 'message_stop', ...(messageId ? { messageId } : {}) });
  for (const call of records(message.tool_calls)) events.push(...toolCall(call, tools));
  return events;
}

function toolCall(call: Json, tools: Json): EventBody[] {
  const toolCallId = word(call.id);
  const { name, arguments: args } = record(call.function);
  const toolName = word(name) ?? 'tool';
  if (!toolCallId || entryOf(tools, toolCallId) !== undefined) return [];
  setEntry<unknown>(tools, toolCallId, toolName);
  return [
    { type: 'tool_call_start', toolCallId, toolName },
    { type: 'tool_call_ready', toolCallId, toolName, input: parseRecord(text(args) ?? '') ?? args ?? {} },
  ];
}

function toolResult(message: Json, tools: Json): EventBody[] {
  const toolCallId = word(message.tool_call_id) ?? '';
  const toolName = word(entryOf(tools, toolCallId));
  if (!toolName) return [];
  delete tools[toolCallId];
  return [{ type: 'tool_result', toolCallId, toolName, output: text(message.content) ?? '' }];
}
