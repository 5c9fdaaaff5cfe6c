import type { EventBody, PlanEntry } from '@agent-mux/core';
import { amount, isRecord, type Json, record, records, text, word } from '../shared/json.ts';
import type { AcpDialect } from './dialect.ts';
import type { AcpState } from './state.ts';
import { toolCall, toolCallUpdate } from './tools.ts';

/** One `session/update` of the running session. */
export function decodeUpdate(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  const usage = dialect.readUpdateUsage?.(update);
  const events: EventBody[] = usage ? [{ type: 'cost', usage, costUsd: null, scope: 'delta', source: 'reported' }] : [];
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return [...events, ...messageChunk(update, state, dialect)];
    case 'agent_thought_chunk':
      return [...events, ...thoughtChunk(update, state, dialect)];
    case 'tool_call':
      state.spoken = false;
      return [...events, ...endMessage(state), ...toolCall(update, state, dialect)];
    case 'tool_call_update':
      return [...events, ...toolCallUpdate(update, state, dialect)];
    case 'plan':
      return [...events, { type: 'plan_update', entries: records(update.entries).map(planEntry) }];
    case 'usage_update':
      return [...events, ...contextUsage(update)];
    case 'session_info_update': {
      const title = word(update.title);
      // OpenClaw 2026.9.6 uses the key of an untitled session as its title.
      const isKey = title === state.sessionId || title === record(update._meta).sessionKey;
      return title && !isKey ? [...events, { type: 'title', title }] : events;
    }
    default:
      return events;
  }
}

/** A tool call or the end of the turn ends a message. */
export function endMessage(state: AcpState): EventBody[] {
  if (!state.inMessage) return [];
  state.inMessage = false;
  state.messageId = null;
  return [{ type: 'message_stop' }];
}

function messageChunk(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  const content = record(update.content);
  if (content.type === 'image') {
    const data = word(content.data);
    return data ? [{ type: 'image_output', mimeType: text(content.mimeType) ?? 'image/png', base64: data }] : [];
  }
  const chunk = text(content.text) ?? '';
  if (chunk === '' || dialect.isNoise?.(chunk)) return [];
  const prose = dialect.readProse?.(chunk);
  if (prose) return prose;
  state.spoken = true;
  return [...newMessage(update, state), ...openMessage(state), { type: 'text_delta', delta: chunk }];
}

function thoughtChunk(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  const said = text(record(update.content).text) ?? '';
  const chunk = dialect.readThought?.(said) ?? said;
  return chunk === '' ? [] : [...openMessage(state), { type: 'thinking_delta', delta: chunk }];
}

/** Only some agents number their messages; for the others a tool call or the end of the turn is the boundary. */
function newMessage(update: Json, state: AcpState): EventBody[] {
  const id = word(update.messageId) ?? null;
  const boundary = id !== null && state.messageId !== null && id !== state.messageId ? endMessage(state) : [];
  if (id !== null) state.messageId = id;
  return boundary;
}

function openMessage(state: AcpState): EventBody[] {
  if (state.inMessage) return [];
  state.inMessage = true;
  return [
    {
      type: 'message_start',
      ...(state.messageId === null ? {} : { messageId: state.messageId }),
      ...(state.model === null ? {} : { model: state.model }),
    },
  ];
}

function planEntry(entry: Json): PlanEntry {
  const status = entry.status === 'in_progress' || entry.status === 'completed' ? entry.status : 'pending';
  const priority =
    entry.priority === 'high' || entry.priority === 'medium' || entry.priority === 'low' ? entry.priority : undefined;
  return { content: text(entry.content) ?? '', status, ...(priority ? { priority } : {}) };
}

function contextUsage(update: Json): EventBody[] {
  const used = amount(update.used);
  const cost = isRecord(update.cost) && update.cost.currency === 'USD' ? amount(update.cost.amount) : undefined;
  const events: EventBody[] = [];
  if (used !== undefined)
    events.push({ type: 'context_usage', usedTokens: used, maxTokens: amount(update.size) ?? null });
  if (cost !== undefined) {
    const unknown = {
      inputTokens: null,
      outputTokens: null,
      cacheReadTokens: null,
      cacheCreationTokens: null,
      totalTokens: null,
    };
    events.push({ type: 'cost', usage: unknown, costUsd: cost, scope: 'session', source: 'reported' });
  }
  return events;
}
