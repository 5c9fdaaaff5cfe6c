import {
  type DecodeContext,
  type Decoded,
  EVENT_STREAM_TAG,
  type EventBody,
  type HttpCall,
  type HttpMessage,
  type LiveCodec,
} from '@agent-mux/core';
import { record } from '../../shared/json.ts';
import { parseModel } from '../choices.ts';
import type { FamilyDialect } from '../dialect.ts';
import { familyFailureEvents, readFailure } from '../errors.ts';
import { sessionRules } from '../permissions.ts';
import { abortCall, call, eventsCall, mcpEndCall, promptCall, sessionCall } from './calls.ts';
import { decodeEvent, endTurn, statusCall, statusReply } from './events.ts';
import { refusedStreamEvents, replyInHandshake, step } from './handshake.ts';
import { openState } from './open.ts';
import { answerCalls } from './requests.ts';
import { type FamilyState, newTurn } from './state.ts';

/** Maximum number of reconnects to the stream of a session in another folder. */
const MAX_STREAM_BREAKS = 5;

export type FamilyCodec = LiveCodec<FamilyState, HttpCall, HttpMessage>;

/** The HTTP API of `serve`: calls out, replies and one stream of events in. */
export function familyCodec(dialect: FamilyDialect): FamilyCodec {
  return {
    open: (options) => openState(options, dialect),
    handshake: (state) => [call('health', 'GET', '/global/health', state)],
    turn(input, state) {
      state.turn = newTurn(state);
      const prompt = promptCall(input, state, dialect);
      if (!state.rulesDue) return [prompt];
      state.heldPrompt = prompt;
      return [];
    },
    decode: (message, state, context) => decode(message, state, dialect, context),
    resolve: answerCalls,
    interrupt(state) {
      const { turn } = state;
      if (!turn) return [];
      if (turn.busy) turn.aborting = true;
      else turn.abortDue = true;
      return turn.busy ? [abortCall(state)] : [];
    },
    // Answered as the next step of the same turn.
    steer: (input, state) => [promptCall(input, state, dialect)],
    setModel(model, state) {
      state.model = parseModel(model, dialect.agent);
      return [];
    },
    setApprovalMode(mode, state) {
      state.approvalMode = mode;
      state.agentName = mode === 'plan' ? dialect.planAgent : dialect.defaultAgent;
      state.withRules = true;
      state.rules = sessionRules({ ...state, mode });
      state.rulesDue = true;
      return [sessionCall('new-rules', 'PATCH', '', state, { permission: state.rules })];
    },
    close: (state) => [
      ...(state.turn && state.sessionId !== undefined ? [abortCall(state)] : []),
      ...state.mcpAdded.splice(0).map((name) => mcpEndCall(name, state)),
    ],
  };
}

function decode(
  message: HttpMessage,
  state: FamilyState,
  dialect: FamilyDialect,
  context: DecodeContext,
): Decoded<HttpCall> {
  switch (message.kind) {
    case 'event':
      return state.otherFolder ? { events: [] } : decodeEvent(message.data, state, context);
    case 'connected':
      // Reconnected: events in between are lost, but the end of the turn must not be.
      return state.turn?.busy ? { events: [streamBroke()], replies: [statusCall(state)] } : { events: [] };
    case 'reply':
      return decodeReply(message, state, dialect, context);
    case 'failed':
      if (message.tag === 'events') return otherFolderBroke(state, dialect, context);
      return { events: failedCallEvents(message.tag, message.message, state, dialect, context) };
    case 'chunk':
      return message.tag === 'events' ? receivedFromOtherFolder(message.data, state, context) : { events: [] };
  }
}

/** The first event of a stream shows that it is open. */
function receivedFromOtherFolder(data: string, state: FamilyState, context: DecodeContext): Decoded<HttpCall> {
  const next = state.otherFolder?.next;
  if (!state.otherFolder || !next) return decodeEvent(data, state, context);
  state.otherFolder.next = null;
  return step(next, state);
}

/** As the engine does it for its own stream. */
function otherFolderBroke(state: FamilyState, dialect: FamilyDialect, context: DecodeContext): Decoded<HttpCall> {
  if (!state.otherFolder) return { events: [] };
  state.otherFolder.breaks += 1;
  if (state.otherFolder.breaks > MAX_STREAM_BREAKS) {
    return {
      events: failedCallEvents('prompt', 'the stream of events breaks again and again', state, dialect, context),
    };
  }
  const lost = state.turn?.busy ? [streamBroke()] : [];
  return { events: lost, replies: [eventsCall(state), ...(state.turn?.busy ? [statusCall(state)] : [])] };
}

function decodeReply(
  reply: Extract<HttpMessage, { kind: 'reply' }>,
  state: FamilyState,
  dialect: FamilyDialect,
  context: DecodeContext,
): Decoded<HttpCall> {
  const ok = reply.status >= 200 && reply.status < 300;
  switch (reply.tag) {
    case EVENT_STREAM_TAG:
      return { events: refusedStreamEvents(reply.status, reply.body, dialect) };
    case 'events':
      return otherFolderBroke(state, dialect, context);
    case 'prompt':
      return { events: ok ? [] : refusedPromptEvents(reply, state, context) };
    case 'new-rules':
      return takeRulesAnswer(ok, state, context);
    case 'status':
      return { events: ok ? statusReply(reply.body, state, context) : [] };
    case 'mcp':
      if (ok) state.mcpServers = [...new Set([...state.mcpServers, ...Object.keys(record(reply.body))])];
      return { events: [] };
    case 'other':
      return { events: [] };
    default:
      return replyInHandshake(reply, state, dialect, context);
  }
}

/** A prompt never starts under other rules than the requested ones. */
function takeRulesAnswer(ok: boolean, state: FamilyState, context: DecodeContext): Decoded<HttpCall> {
  const { heldPrompt, turn } = state;
  state.rulesDue = false;
  delete state.heldPrompt;
  if (!heldPrompt || !turn) return { events: [] };
  if (ok) return { events: [], replies: [heldPrompt] };
  turn.failure = { name: 'UnknownError', message: 'the server did not take the new permission rules' };
  return { events: endTurn(state, turn, context) };
}

function refusedPromptEvents(
  { status, body }: { status: number; body: unknown },
  state: FamilyState,
  context: DecodeContext,
): EventBody[] {
  const { turn } = state;
  if (!turn) return [];
  const failure = readFailure(body);
  turn.failure = { ...failure, message: `the server refused the prompt (${status}): ${failure.message}` };
  return endTurn(state, turn, context);
}

function failedCallEvents(
  tag: string,
  message: string,
  state: FamilyState,
  dialect: FamilyDialect,
  context: DecodeContext,
): EventBody[] {
  if (tag === 'other' || tag === 'mcp' || tag === 'status') return [];
  if (tag === 'new-rules') return takeRulesAnswer(false, state, context).events;
  const failure = { name: 'UnknownError', message: `${dialect.displayName} does not answer: ${message}` };
  if (tag === 'prompt' && state.turn) {
    state.turn.failure = failure;
    return endTurn(state, state.turn, context);
  }
  const event = familyFailureEvents(failure, context.now);
  return [event.type === 'error' ? { ...event, code: 'NETWORK_ERROR' } : event, { type: 'turn_end', status: 'failed' }];
}

function streamBroke(): EventBody {
  const message = 'the stream of events broke and was opened again: some events may be missing';
  return { type: 'debug', level: 'warn', code: 'event_stream_broke', message };
}
