import type { DecodeContext, Decoded, EventBody, HttpCall } from '@agent-mux/core';
import { entryOf, type Json, parseRecord, record, setEntry, text, word } from '../../shared/json.ts';
import { familyFailureEvents, readFailure, retryEvent } from '../errors.ts';
import { planEntries } from '../tools.ts';
import { abortCall, call } from './calls.ts';
import { discardUnfinished, partDelta, type Speaker, updateMessage, updatePart } from './messages.ts';
import { askPermission, askQuestion } from './requests.ts';
import { type FamilyState, type FamilyTurn, forgetTurn } from './state.ts';

/** Maximum number of retries after a broken connection to the model in a turn. */
const MAX_RECONNECTS = 3;

const NOTHING: Decoded<HttpCall> = { events: [] };

/** One event of the server's stream, which carries the events of every session in the folder. */
export function decodeEvent(data: string, state: FamilyState, context: DecodeContext): Decoded<HttpCall> {
  const event = parseRecord(data);
  if (!event) return NOTHING;
  const properties = record(event.properties);
  if (event.type === 'session.created') rememberChild(record(properties.info), state);
  const speaker = speakerOf(properties, state);
  if (!speaker) return NOTHING;
  if (event.type === 'session.updated') return speaker.isMain ? titleOf(record(properties.info), state) : NOTHING;
  const { turn } = state;
  // Events after the end of a turn do not belong to it: parts are updated once again then.
  if (!turn) return NOTHING;
  switch (event.type) {
    case 'message.part.delta':
      return { events: partDelta(properties, speaker, state) };
    case 'message.part.updated':
      return { events: updatePart(record(properties.part), speaker, state) };
    case 'message.updated':
      return { events: updateMessage(record(properties.info), speaker, state, turn) };
    case 'permission.asked':
      return askPermission(properties, state);
    case 'question.asked':
      return { events: askQuestion(properties, state) };
    case 'session.status':
      return followStatus(record(properties.status), speaker, state, turn, context);
    default:
      return speaker.isMain ? sessionEvent(event.type, properties, state, turn, context) : NOTHING;
  }
}

function sessionEvent(
  type: unknown,
  properties: Json,
  state: FamilyState,
  turn: FamilyTurn,
  context: DecodeContext,
): Decoded<HttpCall> {
  switch (type) {
    case 'session.error':
      turn.failure = readFailure(properties.error);
      return NOTHING;
    case 'session.compacted':
      return { events: [{ type: 'context_compacted' }] };
    case 'todo.updated':
      return { events: [{ type: 'plan_update', entries: planEntries(properties.todos) }] };
    case 'session.idle':
      return idle(state, turn, context);
    case 'session.turn.open':
      turn.opened = true;
      return NOTHING;
    case 'session.queue.changed':
      turn.queued = Array.isArray(properties.queued) ? properties.queued.length : 0;
      return NOTHING;
    case 'session.turn.close':
      return closeTurn(properties.reason, state, turn, context);
    case 'session.network.asked':
      return answerNetworkRequest(properties, state, turn);
    case 'session.deleted':
      turn.failure = { name: 'NotFoundError', message: 'the session was deleted' };
      return { events: endTurn(state, turn, context) };
    default:
      return NOTHING;
  }
}

function followStatus(
  status: Json,
  { isMain }: Speaker,
  state: FamilyState,
  turn: FamilyTurn,
  context: DecodeContext,
): Decoded<HttpCall> {
  if (status.type === 'retry') {
    const event = retryEvent(status, context.now);
    return { events: isMain ? [...discardUnfinished(text(status.message) ?? 'retry', state), event] : [event] };
  }
  if (!isMain || status.type !== 'busy') return NOTHING;
  turn.busy = true;
  if (!turn.abortDue) return NOTHING;
  turn.abortDue = false;
  turn.aborting = true;
  return { events: [], replies: [abortCall(state)] };
}

/** Kilo asks its user when the connection to the model breaks; opencode retries automatically. */
function answerNetworkRequest(properties: Json, state: FamilyState, turn: FamilyTurn): Decoded<HttpCall> {
  const id = encodeURIComponent(word(properties.id) ?? '');
  const reason = word(properties.message) ?? 'the connection to the model broke';
  if (turn.reconnects >= MAX_RECONNECTS) {
    turn.failure = { name: 'APIError', message: `Cannot connect to API: ${reason}` };
    return { events: [], replies: [call('other', 'POST', `/network/${id}/reject`, state)] };
  }
  turn.reconnects += 1;
  return {
    events: [
      ...discardUnfinished(reason, state),
      { type: 'retry', attempt: turn.reconnects, maxAttempts: MAX_RECONNECTS, reason, by: 'agent' },
    ],
    replies: [call('other', 'POST', `/network/${id}/reply`, state)],
  };
}

/**
 * Only kilo sends this, with a reason, but not always: the same turn may end with `session.idle` alone. A prompt that
 * came in between continues in a separate native turn; for us it is the same one.
 */
function closeTurn(reason: unknown, state: FamilyState, turn: FamilyTurn, context: DecodeContext): Decoded<HttpCall> {
  if (!turn.opened || reason === 'superseded') return NOTHING;
  if (reason === 'interrupted') turn.aborting = true;
  if (reason === 'error') turn.failure ??= { name: 'UnknownError', message: 'the turn failed' };
  return { events: endTurn(state, turn, context) };
}

/** After an error or an abort it comes twice, and the second one must not end a turn that has started in between. */
function idle(state: FamilyState, turn: FamilyTurn, context: DecodeContext): Decoded<HttpCall> {
  if (turn.queued > 0) return NOTHING;
  if (turn.settled || turn.failure || turn.aborting) return { events: endTurn(state, turn, context) };
  return turn.busy ? { events: [], replies: [statusCall(state)] } : NOTHING;
}

/** `GET /session/status` lists the running sessions. */
export function statusCall(state: FamilyState): HttpCall {
  return call('status', 'GET', '/session/status', state);
}

export function statusReply(body: unknown, state: FamilyState, context: DecodeContext): EventBody[] {
  const { turn } = state;
  const status = record(record(body)[state.sessionId ?? '']);
  if (!turn || status.type === 'busy' || status.type === 'retry') return [];
  return endTurn(state, turn, context);
}

export function endTurn(state: FamilyState, turn: FamilyTurn, { now }: DecodeContext): EventBody[] {
  const { failure, finish, structured, aborting } = turn;
  forgetTurn(state);
  if (aborting || failure?.name === 'MessageAbortedError') {
    return [
      { type: 'interrupted', by: aborting ? 'caller' : 'agent' },
      { type: 'turn_end', status: 'interrupted' },
    ];
  }
  if (failure) return [familyFailureEvents(failure, now), { type: 'turn_end', status: 'failed' }];
  return [
    {
      type: 'turn_end',
      status: finish === 'content-filter' ? 'refused' : 'completed',
      ...(structured === undefined ? {} : { structured }),
      ...(finish ? { stopReason: finish } : {}),
    },
  ];
}

function speakerOf(properties: Json, state: FamilyState): Speaker | undefined {
  const sessionId = word(properties.sessionID) ?? word(record(properties.part).sessionID);
  if (!sessionId || state.sessionId === undefined) return undefined;
  if (sessionId === state.sessionId) return { sessionId, isMain: true, parent: undefined };
  const child = entryOf(state.children, sessionId);
  return child ? { sessionId, isMain: false, parent: child.toolCallId } : undefined;
}

/** A subagent has its own session. */
function rememberChild(info: Json, state: FamilyState): void {
  const id = word(info.id);
  const parentId = text(info.parentID);
  if (!id || !parentId || !state.turn) return;
  const ours = parentId === state.sessionId || entryOf(state.children, parentId) !== undefined;
  if (ours && !entryOf(state.children, id)) setEntry(state.children, id, {});
}

/** The server names a new session after its time, until the model has found a better title. */
function titleOf(info: Json, state: FamilyState): Decoded<HttpCall> {
  const title = word(info.title);
  if (!title || title === state.title || /^(New|Child) session - \d{4}-/.test(title)) return NOTHING;
  state.title = title;
  return { events: [{ type: 'title', title }] };
}
