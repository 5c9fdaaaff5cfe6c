import { type Decoded, type EventBody, toJson } from '@agent-mux/core';
import { decodeRpc, type RpcError, type RpcHandlers, rpcRequest } from '../jsonrpc/index.ts';
import { entryOf, isRecord, type Json, number, record, records, text, word } from '../shared/json.ts';
import { closeThinking, thinkingEvents } from '../shared/thinking.ts';
import { readDroidFailure } from './errors.ts';
import { closeMessage, contentText, costEvent, endTool, readyTool, startTool, textDelta } from './items.ts';
import { agentRequest } from './requests.ts';
import { type DroidState, NO_TITLE } from './state.ts';

const NOTHING: Decoded<string> = { events: [] };

/** One line of `droid exec --output-format stream-jsonrpc`. */
export function decodeDroid(line: string, state: DroidState): Decoded<string> {
  return decodeRpc(line, state, HANDLERS);
}

const HANDLERS: RpcHandlers<DroidState> = {
  reply: handleReply,
  failure: takeRefusal,
  request: agentRequest,
  notice: decodeNotice,
};

function decodeNotice(method: string, { notification, sessionId }: Json, state: DroidState): Decoded<string> {
  // A subagent has its own session: its output comes as the result of the tool that started it.
  if (state.sessionId !== null && word(sessionId) && sessionId !== state.sessionId) return NOTHING;
  if (method !== 'droid.session_notification' || !isRecord(notification)) return NOTHING;
  return { events: entryOf(NOTICES, text(notification.type) ?? '')?.(notification, state) ?? [] };
}

/**
 * New: created with all settings. Loaded: a fork is created and loaded in its place, and the settings are sent again.
 */
function handleReply(purpose: string, result: Json, state: DroidState): Decoded<string> {
  const ask = (method: string, params: Json, next: string) => ({
    events: [],
    replies: [rpcRequest(state.rpc, method, params, next)],
  });
  switch (purpose) {
    case 'new':
      state.sessionId = word(result.sessionId) ?? null;
      return { events: [sessionStart(record(result.settings), state)] };
    case 'load':
      if (state.fork) return ask('droid.fork_session', {}, 'fork');
      state.sessionId = state.load;
      return ask('droid.update_session_settings', state.settings, 'settings');
    case 'fork':
      state.fork = false;
      state.load = word(result.newSessionId) ?? null;
      return ask('droid.load_session', { ...state.params, sessionId: state.load, messageLimit: 1 }, 'load');
    case 'settings':
      return { events: [sessionStart({}, state)] };
    default:
      return NOTHING;
  }
}

function sessionStart(settings: Json, state: DroidState): EventBody {
  readSettings(settings, state);
  const { sessionId, model, cwd, permissionMode } = state;
  return {
    type: 'session_start',
    ...(sessionId ? { sessionId } : {}),
    ...(model ? { model } : {}),
    cwd,
    ...(permissionMode ? { permissionMode } : {}),
  };
}

function readSettings(settings: Json, state: DroidState): EventBody[] {
  state.model = word(settings.modelId) ?? state.model;
  const { interactionMode, autonomyLevel } = settings;
  if (word(interactionMode) && word(autonomyLevel)) state.permissionMode = `${interactionMode}/${autonomyLevel}`;
  return [];
}

const OPENING = ['new', 'load', 'fork', 'settings', 'turn'];

function takeRefusal(purpose: string, error: RpcError, state: DroidState): Decoded<string> {
  if (OPENING.includes(purpose)) return { events: endTurn('failed', [readDroidFailure(error.message)], state) };
  if (purpose.startsWith('steer')) state.steers = state.steers.filter((one) => one !== purpose);
  // An interrupt that came too late, or an unknown model.
  return { events: [{ type: 'debug', level: 'warn', code: 'droid_refused', message: `${purpose}: ${error.message}` }] };
}

type Notice = (notification: Json, state: DroidState) => EventBody[];

const NOTICES: Readonly<Record<string, Notice>> = {
  thinking_text_delta: (notice, state) => thinkingEvents(text(notice.textDelta) ?? '', state),
  thinking_text_complete: (_, state) => closeThinking(state),
  assistant_text_delta: (notice, state) =>
    textDelta(text(notice.messageId) ?? '', text(notice.textDelta) ?? '', state.model, state),
  // It is repeated while its input grows.
  tool_call: ({ toolUse }, state) => {
    const { id, name, input } = record(toolUse);
    return startTool(text(id) ?? '', text(name) ?? '', input ?? {}, state);
  },
  create_message: ({ message, requestId }, state) => takeMessage(record(message), text(requestId), state),
  tool_result: (notice, state) => {
    const output = contentText(notice.content);
    const words = typeof output === 'string' ? output : toJson(output);
    return endTool(text(notice.toolUseId) ?? '', { output, error: notice.isError === true ? words : null }, state);
  },
  structured_output: ({ structuredOutput }, state) => {
    state.structured = isRecord(structuredOutput) ? structuredOutput : null;
    return [];
  },
  session_title_updated: (notice, state) => {
    const title = word(notice.title);
    if (title === undefined || title === state.title || title === NO_TITLE) return [];
    state.title = title;
    return [{ type: 'title', title }];
  },
  session_compacted: () => [{ type: 'context_compacted' }],
  settings_updated: ({ settings }, state) => readSettings(record(settings), state),
  llm_retry: retryEvents,
  // The end of the turn reports its meaning.
  error: (notice, state) => {
    state.failure = text(notice.message) ?? 'the turn failed';
    return [];
  },
  queued_messages_discarded: (_, state) => {
    state.steers = [];
    return [];
  },
  agent_turn_completed: completeTurn,
};

/** A whole message: its calls are ready, and its text is emitted if no part of it was streamed. */
function takeMessage(message: Json, requestId: string | undefined, state: DroidState): EventBody[] {
  if (message.role === 'user' && requestId !== undefined) {
    state.steers = state.steers.filter((one) => one !== `steer ${requestId}`);
  }
  if (message.role !== 'assistant') return [];
  const id = text(message.id) ?? '';
  const blocks = records(message.content);
  const whole =
    state.emitted === id ? '' : blocks.map((block) => (block.type === 'text' ? (text(block.text) ?? '') : '')).join('');
  const calls = blocks.filter((block) => block.type === 'tool_use');
  return [
    ...closeThinking(state),
    ...(whole === '' ? [] : textDelta(id, whole, state.model, state)),
    ...calls.flatMap(({ id: call, name, input }) => [
      ...startTool(text(call) ?? '', text(name) ?? '', input, state),
      ...readyTool(text(call) ?? '', input, state),
    ]),
    ...closeMessage(state),
  ];
}

/** The request is repeated from its start. */
function retryEvents(notice: Json, state: DroidState): EventBody[] {
  const reason = text(notice.reason) ?? 'unknown';
  const discarded: EventBody[] = state.message === null ? [] : [{ type: 'message_discard', reason }];
  const before = [...closeThinking(state), ...discarded, ...closeMessage(state)];
  if (reason === 'rate_limited') {
    return [...before, { type: 'rate_limit_error', message: 'the model is rate limited', retrying: true }];
  }
  return [...before, { type: 'retry', attempt: number(notice.attempt) ?? 1, reason, by: 'agent' }];
}

const USAGE = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;
/** A refusal ends the turn but is not a failure. */
const GOOD_ENDS = ['completed', 'permission_rejected', 'spec_handoff'];

function completeTurn(notice: Json, state: DroidState): EventBody[] {
  const reason = text(notice.reason) ?? 'error';
  const cost = costEvent(notice.tokenUsage, USAGE, state.model);
  if (reason === 'cancelled') {
    return endTurn(
      'interrupted',
      [...cost, { type: 'interrupted', by: state.interrupted ? 'caller' : 'agent' }],
      state,
    );
  }
  if (!GOOD_ENDS.includes(reason)) {
    const failure = readDroidFailure(state.failure ?? `the turn ended with ${reason}`, reason);
    return endTurn('failed', [...cost, failure], state);
  }
  // Late steering input is a separate native turn of Droid, which belongs to this one.
  if (state.steers.length > 0) return cost;
  return endTurn('completed', cost, state);
}

function endTurn(status: 'completed' | 'failed' | 'interrupted', before: EventBody[], state: DroidState): EventBody[] {
  const structured = status === 'completed' && state.structured !== null ? { structured: state.structured } : {};
  const closed = [...closeThinking(state), ...closeMessage(state)];
  state.steers = [];
  state.tools = {};
  state.denied = [];
  state.failure = null;
  state.structured = null;
  return [...closed, ...before, { type: 'turn_end', status, ...structured }];
}
