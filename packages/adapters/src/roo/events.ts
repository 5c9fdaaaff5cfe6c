import type { EventBody, ParseContext } from '@agent-mux/core';
import { failureFromText } from '../documented/index.ts';
import { entryOf, type Json, number, parseRecord, record, setEntry, text, word } from '../shared/json.ts';

/** One line of `roo --print --output-format stream-json`. */
export function parseRooLine(line: string, context: ParseContext): EventBody[] | null {
  const message = parseRecord(line);
  if (!message || word(message.type) === undefined) return null;
  const state = context.adapterState;
  switch (message.type) {
    case 'assistant': {
      const delta = news(message, state);
      return [...ready(state), ...(delta === '' ? [] : [{ type: 'text_delta' as const, delta }]), ...endTask(message)];
    }
    case 'thinking': {
      const delta = news(message, state);
      return delta === '' ? [] : [{ type: 'thinking_delta', delta }];
    }
    case 'tool_use':
      return toolUse(message, state);
    case 'tool_result':
      return toolResult(record(message.tool_result), state);
    case 'error':
      state.failed = true;
      return failureFromText(word(message.content));
    case 'result':
      return result(message, state);
    default:
      return [];
  }
}

/** A message comes in pieces, and its last line may repeat the whole text. */
function news(message: Json, state: Json): string {
  const said = record(state.said);
  state.said = said;
  const key = `${message.type}/${message.id}`;
  const before = word(entryOf(said, key)) ?? '';
  const content = text(message.content) ?? '';
  const delta = message.done === true && content.startsWith(before) ? content.slice(before.length) : content;
  setEntry<unknown>(said, key, before + delta);
  return delta;
}

function endTask(message: Json): EventBody[] {
  return message.done === true ? [{ type: 'message_stop' }] : [];
}

/** A call is printed again while its input grows; the next line shows that it is complete. */
function toolUse(message: Json, state: Json): EventBody[] {
  const toolCallId = String(message.id ?? '');
  const open = record(state.tool);
  const { name, input } = record(message.tool_use);
  const toolName = word(name) ?? 'tool';
  if (open.id === toolCallId) {
    open.input = input;
    return [];
  }
  const events = ready(state);
  state.tool = { id: toolCallId, name: toolName, input, ready: false };
  return [...events, { type: 'tool_call_start', toolCallId, toolName }];
}

function ready(state: Json): EventBody[] {
  const open = record(state.tool);
  const toolCallId = text(open.id);
  if (toolCallId === undefined || open.ready) return [];
  open.ready = true;
  return [{ type: 'tool_call_ready', toolCallId, toolName: word(open.name) ?? 'tool', input: open.input ?? {} }];
}

/** A result names its tool but no call: it is that of the last one. */
function toolResult(result: Json, state: Json): EventBody[] {
  const toolCallId = text(record(state.tool).id);
  if (toolCallId === undefined) return [];
  const toolName = word(record(state.tool).name) ?? 'tool';
  const events = ready(state);
  state.tool = {};
  const error = word(result.error);
  if (error) return [...events, { type: 'tool_error', toolCallId, toolName, error }];
  const exitCode = number(result.exitCode);
  const output = text(result.output) ?? '';
  return [
    ...events,
    { type: 'tool_result', toolCallId, toolName, output, ...(exitCode === undefined ? {} : { exitCode }) },
  ];
}

/** The final message of the agent is only in the result. */
function result(message: Json, state: Json): EventBody[] {
  const content = word(message.content);
  const events = ready(state);
  if (message.success !== true) {
    const failure = state.failed ? [] : failureFromText(content);
    return [...events, ...failure, { type: 'turn_end', status: 'failed' }];
  }
  const said = content ? [{ type: 'text_delta' as const, delta: content }] : [];
  return [...events, ...said, { type: 'turn_end', status: 'completed' }];
}
