import type { EventBody } from '@agent-mux/core';
import { entryOf, type Json, number, record, setEntry, text, word } from '../../shared/json.ts';
import { readFailure } from '../errors.ts';
import { toolEvents } from '../tools.ts';
import { costEvent } from '../usage.ts';
import type { FamilyState, FamilyTurn } from './state.ts';

/** Owner of a message: the session, or a subagent under its call. */
export interface Speaker {
  sessionId: string;
  isMain: boolean;
  parent: string | undefined;
}

type Parent = { parentToolCallId?: string };

/** An assistant message is updated when it starts and, two or three times, when it is complete. */
export function updateMessage(info: Json, speaker: Speaker, state: FamilyState, turn: FamilyTurn): EventBody[] {
  const id = word(info.id);
  if (!id) return [];
  if (speaker.isMain) {
    if (id > state.lastMessageId) state.lastMessageId = id;
    if (id <= turn.after) return [];
  }
  if (info.role !== 'assistant') return [];
  const events: EventBody[] = [];
  let message = entryOf(state.messages, id);
  const model = modelName(info);
  if (!message) {
    message = { isMain: speaker.isMain, done: false, hidden: info.summary === true || info.mode === 'compaction' };
    setEntry(state.messages, id, message);
    if (speaker.isMain) turn.settled = false;
    if (!message.hidden) {
      events.push({ type: 'message_start', messageId: id, ...(model ? { model } : {}), ...parentOf(speaker) });
    }
  }
  if (info.structured !== undefined) turn.structured = info.structured;
  if (number(record(info.time).completed) === undefined || message.done) return events;
  message.done = true;
  events.push(...costEvent(info, speaker.isMain ? model : undefined));
  if (!message.hidden) events.push({ type: 'message_stop', messageId: id, ...parentOf(speaker) });
  if (speaker.isMain) settle(info, turn);
  return events;
}

/**
 * An error that a later message overcomes (a full context, compacted) does not count. A failed message has no `finish`.
 */
function settle(info: Json, turn: FamilyTurn): void {
  turn.settled = true;
  const finish = word(info.finish);
  if (finish) turn.finish = finish;
  if (info.error) turn.failure = readFailure(info.error);
  else if (finish) delete turn.failure;
}

export function updatePart(part: Json, speaker: Speaker, state: FamilyState): EventBody[] {
  if (!entryOf(state.messages, text(part.messageID) ?? '') || isHidden(part, state)) return [];
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return writtenPart(part, speaker, state);
    case 'tool': {
      const { sessionId, parent } = speaker;
      const events = toolEvents(part, state.tools, { mcpServers: state.mcpServers, parent, sessionId });
      return part.tool === 'task' ? withSubagent(part, events, state) : events;
    }
    default:
      return [];
  }
}

export function partDelta(properties: Json, speaker: Speaker, state: FamilyState): EventBody[] {
  const part = entryOf(state.parts, text(properties.partID) ?? '');
  const delta = text(properties.delta);
  if (!part || part.done || !delta || properties.field !== 'text') return [];
  part.emitted += delta.length;
  return [say(part.kind, delta, speaker)];
}

/** Text or thinking starts empty, grows by deltas, and ends with the whole text. */
function writtenPart(part: Json, speaker: Speaker, state: FamilyState): EventBody[] {
  const id = word(part.id);
  // Only children without a known call are left out: their text could not be attributed.
  if (!id || part.synthetic === true || part.ignored === true) return [];
  const events: EventBody[] = [];
  let seen = entryOf(state.parts, id);
  if (!seen) {
    const messageId = text(part.messageID) ?? '';
    seen = { kind: part.type === 'reasoning' ? 'thinking' : 'text', messageId, emitted: 0, done: false };
    setEntry(state.parts, id, seen);
    if (seen.kind === 'thinking') events.push({ type: 'thinking_start', ...parentOf(speaker) });
  }
  if (seen.done || number(record(part.time).end) === undefined) return events;
  seen.done = true;
  const whole = text(part.text) ?? '';
  // Trailing space is trimmed at the end: then there is nothing to add.
  if (whole.length > seen.emitted) events.push(say(seen.kind, whole.slice(seen.emitted), speaker));
  if (seen.kind === 'thinking') events.push({ type: 'thinking_stop', ...parentOf(speaker) });
  return events;
}

/** The model's answer broke off and is requested again: its emitted part is void. */
export function discardUnfinished(reason: string, state: FamilyState): EventBody[] {
  const open = Object.values(state.parts).filter(({ messageId, emitted }) => {
    const message = entryOf(state.messages, messageId);
    return emitted > 0 && message?.isMain === true && !message.done;
  });
  for (const part of open) part.done = true;
  return open.length > 0 ? [{ type: 'message_discard', reason }] : [];
}

function say(kind: 'text' | 'thinking', delta: string, speaker: Speaker): EventBody {
  return { type: kind === 'thinking' ? 'thinking_delta' : 'text_delta', delta, ...parentOf(speaker) };
}

/** The `task` tool names the session of its subagent once it runs. */
function withSubagent(part: Json, events: EventBody[], state: FamilyState): EventBody[] {
  const native = record(part.state);
  const childId = word(record(native.metadata).sessionId);
  const toolCallId = word(part.callID);
  if (!childId || !toolCallId) return events;
  const input = record(native.input);
  const child = entryOf(state.children, childId);
  const all = [...events];
  if (!child?.toolCallId) {
    setEntry(state.children, childId, { toolCallId });
    const name = word(input.subagent_type);
    const prompt = word(input.prompt);
    const start: EventBody = {
      type: 'subagent_start',
      subagentId: childId,
      toolCallId,
      ...(name ? { name } : {}),
      ...(prompt ? { prompt } : {}),
    };
    const end = all.findIndex(({ type }) => type === 'tool_result' || type === 'tool_error');
    all.splice(end === -1 ? all.length : end, 0, start);
  }
  const end = events.find(({ type }) => type === 'tool_result' || type === 'tool_error');
  if (end) {
    const status = end.type === 'tool_result' ? 'completed' : 'failed';
    const summary = word(native.title);
    all.push({ type: 'subagent_end', subagentId: childId, toolCallId, status, ...(summary ? { summary } : {}) });
  }
  return all;
}

function isHidden(part: Json, state: FamilyState): boolean {
  return entryOf(state.messages, text(part.messageID) ?? '')?.hidden === true;
}

function parentOf({ parent }: Speaker): Parent {
  return parent === undefined ? {} : { parentToolCallId: parent };
}

function modelName(info: Json): string | undefined {
  const provider = word(info.providerID);
  const model = word(info.modelID);
  return provider && model ? `${provider}/${model}` : undefined;
}
