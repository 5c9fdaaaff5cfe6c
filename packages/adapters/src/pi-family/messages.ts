import type { EventBody } from '@agent-mux/core';
import { entryOf, type Json, number, record, records, setEntry, text, word } from '../shared/json.ts';
import type { PiDialect } from './dialect.ts';
import { readFailure } from './failure.ts';
import type { PiState } from './state.ts';
import { startTool, toolInput, toolReady } from './tools.ts';
import { costOf } from './usage.ts';

/** The name in the format of `RunOptions.model`: `provider/id`. */
export function modelName(provider: unknown, id: unknown): string | undefined {
  const name = word(id);
  const from = word(provider);
  return name && from ? `${from}/${name}` : name;
}

/** Printed for system, user and tool messages too. A message that starts as an error has no content. */
export function startMessage(line: Json, state: PiState): EventBody[] {
  const message = record(line.message);
  if (message.role !== 'assistant') return [];
  delete state.failure;
  delete state.stopReason;
  state.blocks = {};
  state.spoken = false;
  if (message.stopReason === 'error') return [];
  const messageId = word(message.responseId);
  const model = modelName(message.provider, message.model);
  if (messageId) state.messageId = messageId;
  else delete state.messageId;
  state.messageOpen = true;
  return [{ type: 'message_start', ...(messageId ? { messageId } : {}), ...(model ? { model } : {}) }];
}

/** Carries deltas only; the accumulated text comes with the end of the message. */
export function updateMessage(line: Json, state: PiState, dialect: PiDialect): EventBody[] {
  const update = record(line.assistantMessageEvent);
  switch (update.type) {
    case 'text_delta':
      state.spoken = true;
      return said('text_delta', update.delta);
    case 'thinking_delta':
      state.spoken = true;
      return said('thinking_delta', update.delta);
    case 'thinking_start':
      return [{ type: 'thinking_start' }];
    case 'thinking_end':
      return [{ type: 'thinking_stop' }];
    case 'toolcall_start': {
      const { id, name } = startedCall(update);
      if (!id) return [];
      setEntry(state.blocks, String(update.contentIndex), id);
      return startTool(id, name ?? '', state);
    }
    case 'toolcall_delta': {
      const toolCallId = entryOf(state.blocks, String(update.contentIndex));
      const delta = text(update.delta);
      return toolCallId && delta ? toolInput(toolCallId, delta, state) : [];
    }
    case 'toolcall_end': {
      const call = record(update.toolCall);
      const id = word(call.id);
      return id ? toolReady(id, word(call.name) ?? '', call.arguments, state, dialect) : [];
    }
    default:
      return [];
  }
}

/** Named in the update, or in the message so far. */
function startedCall(update: Json): { id?: string; name?: string } {
  const sofar = records(record(update.partial).content)[number(update.contentIndex) ?? -1];
  return { id: word(update.id) ?? word(sofar?.id), name: word(update.toolName) ?? word(sofar?.name) };
}

function said(type: 'text_delta' | 'thinking_delta', delta: unknown): EventBody[] {
  const words = text(delta);
  return words ? [{ type, delta: words }] : [];
}

/**
 * Exactly one per request to the model. A broken message stays open: whether it is void shows when the agent retries,
 * or does not.
 */
export function endMessage(line: Json, state: PiState): EventBody[] {
  const message = record(line.message);
  if (message.role !== 'assistant') return [];
  const cost = costOf(message.usage, modelName(message.provider, message.model));
  state.stopReason = word(message.stopReason);
  state.refused = message.rawStopReason === 'refusal';
  if (message.stopReason === 'error') {
    state.failure = readFailure(word(message.errorMessage) ?? '', message.errorStatus);
    return cost;
  }
  return [...closeMessage(state), ...cost];
}

export function closeMessage(state: PiState): EventBody[] {
  if (!state.messageOpen) return [];
  state.messageOpen = false;
  const { messageId } = state;
  return [{ type: 'message_stop', ...(messageId ? { messageId } : {}) }];
}

/** The agent repeats its request: its text so far is void, and so are calls that never ran. */
export function discardMessage(state: PiState): EventBody[] {
  const events: EventBody[] = Object.values(state.blocks).flatMap((id): EventBody[] => {
    const tool = entryOf(state.tools, id);
    if (!tool) return [];
    delete state.tools[id];
    const error = 'The agent gave up this request before the call was whole.';
    return [{ type: 'tool_error', toolCallId: id, toolName: tool.name, error }];
  });
  state.blocks = {};
  if (state.messageOpen && state.spoken) {
    events.push({ type: 'message_discard', reason: 'The request to the model failed and is repeated.' });
  }
  return [...events, ...closeMessage(state)];
}
