import type { EventBody, PlanEntry } from '@agent-mux/core';
import { isRecord, type Json, number, record, records, text, word } from '../shared/json.ts';
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
      return [...events, ...thoughtChunk(update, state)];
    case 'tool_call':
      return [...events, ...endMessage(state, dialect), ...toolCall(update, state, dialect)];
    case 'tool_call_update':
      return [...events, ...toolCallUpdate(update, state, dialect)];
    case 'plan':
      return [...events, { type: 'plan_update', entries: records(update.entries).map(planEntry) }];
    case 'usage_update':
      return [...events, ...contextUsage(update)];
    case 'session_info_update': {
      const title = word(update.title);
      return title ? [...events, { type: 'title', title }] : events;
    }
    default:
      return events;
  }
}

/** The text so far is a whole message: if it is the agent's own prose, it becomes what it says. */
export function endMessage(state: AcpState, dialect: AcpDialect): EventBody[] {
  const held = releaseText(state, dialect, true);
  if (!state.inMessage) return held;
  state.inMessage = false;
  state.messageId = null;
  return [...held, { type: 'message_stop' }];
}

function messageChunk(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  const content = record(update.content);
  if (content.type === 'image') {
    const data = word(content.data);
    return data ? [{ type: 'image_output', mimeType: text(content.mimeType) ?? 'image/png', base64: data }] : [];
  }
  const chunk = text(content.text) ?? '';
  if (chunk === '' || dialect.isNoise?.(chunk)) return [];
  const boundary = newMessage(update, state, dialect);
  if (!dialect.readProse) {
    state.textSeen = true;
    return [...boundary, ...openMessage(state), { type: 'text_delta', delta: chunk }];
  }
  state.heldText += chunk;
  return [...boundary, ...releaseText(state, dialect, false)];
}

function thoughtChunk(update: Json, state: AcpState): EventBody[] {
  const chunk = text(record(update.content).text) ?? '';
  return chunk === '' ? [] : [...openMessage(state), { type: 'thinking_delta', delta: chunk }];
}

/** Only some agents number their messages; for the others a tool call or the end of the turn is the boundary. */
function newMessage(update: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  const id = word(update.messageId) ?? null;
  const boundary = id !== null && state.messageId !== null && id !== state.messageId ? endMessage(state, dialect) : [];
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

/** Prose of the agent begins with one of its own words: text is held back only while it might be that. */
const PROSE_BEGINNINGS = ['Info: ', 'Error: ', 'Warning: '];

function releaseText(state: AcpState, dialect: AcpDialect, whole: boolean): EventBody[] {
  const held = state.heldText;
  if (held === '') return [];
  const maybeProse = PROSE_BEGINNINGS.some((beginning) => beginning.startsWith(held) || held.startsWith(beginning));
  const fresh = !state.textSeen || !state.inMessage;
  if (fresh && maybeProse && !whole) return [];
  state.heldText = '';
  if (fresh && whole && maybeProse) {
    const told = dialect.readProse?.(held);
    if (told) return told;
  }
  state.textSeen = true;
  return [...openMessage(state), { type: 'text_delta', delta: held }];
}

function planEntry(entry: Json): PlanEntry {
  const status = entry.status === 'in_progress' || entry.status === 'completed' ? entry.status : 'pending';
  const priority =
    entry.priority === 'high' || entry.priority === 'medium' || entry.priority === 'low' ? entry.priority : undefined;
  return { content: text(entry.content) ?? '', status, ...(priority ? { priority } : {}) };
}

function contextUsage(update: Json): EventBody[] {
  const used = number(update.used);
  const cost = isRecord(update.cost) && update.cost.currency === 'USD' ? number(update.cost.amount) : undefined;
  const events: EventBody[] = [];
  if (used !== undefined)
    events.push({ type: 'context_usage', usedTokens: used, maxTokens: number(update.size) ?? null });
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
