import { type DecodeContext, type Decoded, toJson } from '@agent-mux/core';
import { amount, type Json, list, oneOf, parseRecord, record, setEntry, text } from '../../shared/json.ts';
import { closeThinking, thinkingEvents } from '../../shared/thinking.ts';
import { readError } from './errors.ts';
import { ignoreLine } from './ignored.ts';
import { FILE_CHANGES, OUTPUT_CHANNELS, PLAN_STATUSES, readKind, TURN_STATUSES, USAGE_SCOPES } from './protocol.ts';
import { askPermission, askQuestion, refuseOpen } from './requests.ts';
import type { ExternalState } from './state.ts';

type Handler = (message: Json, state: ExternalState, context: DecodeContext) => Decoded<string>;

/** By message type: the original protocol, then the optional extensions. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  output,
  'turn.complete': turnComplete,
  'file.output': fileOutput,
  'permission.request': askPermission,
  'session.started': startSession,
  'tool.start': toolStart,
  'tool.result': toolEnd,
  'tool.error': toolEnd,
  'file.change': fileChange,
  plan,
  usage,
  error: failure,
  question: askQuestion,
};

/** One line of the adapter. At worst it becomes a `debug` event. */
export function decodeMessage(line: string, state: ExternalState, context: DecodeContext): Decoded<string> {
  if (line.trim() === '') return { events: [] };
  const message = parseRecord(line);
  const type = text(message?.type);
  if (!message || !type) return ignoreLine('it is not a JSON object with a type', line);
  if (text(message.session_id) !== state.sessionId) return ignoreLine('its session_id is missing or unknown', line);
  const handler = Object.hasOwn(HANDLERS, type) ? HANDLERS[type] : undefined;
  return handler
    ? handler(message, state, context)
    : ignoreLine(`its type "${type}" is unknown`, line, 'unknown_message');
}

function startSession(message: Json, state: ExternalState): Decoded<string> {
  const sessionId = text(message.native_session_id);
  return { events: [{ type: 'session_start', sessionId, model: text(message.model), cwd: state.start.cwd }] };
}

function output(message: Json, state: ExternalState): Decoded<string> {
  const content = text(message.content);
  if (content === undefined) return ignoreLine('output needs a content', toJson(message));
  const channel = message.channel === undefined ? 'stdout' : oneOf(message.channel, OUTPUT_CHANNELS);
  switch (channel) {
    // A newer adapter may have more channels: their output is kept, but is not part of the answer.
    case undefined:
      return { events: [{ type: 'log', source: 'stdout', line: content }] };
    case 'stderr':
      return { events: [{ type: 'log', source: 'stderr', line: content }] };
    case 'thinking':
      return { events: thinkingEvents(content, state) };
    case 'stdout':
      return { events: [...closeThinking(state), { type: 'text_delta', delta: content }] };
  }
}

function turnComplete(message: Json, state: ExternalState, context: DecodeContext): Decoded<string> {
  // An adapter that was stopped twice may complete twice; the second must not end the next turn.
  if (!context.turnActive) return ignoreLine('no turn is running', toJson(message));
  const otherwise = state.failed ? 'failed' : state.stopping ? 'interrupted' : 'completed';
  const events = closeThinking(state);
  events.push({ type: 'turn_end', status: oneOf(message.status, TURN_STATUSES) ?? otherwise });
  state.openTools = {};
  state.failed = false;
  state.stopping = false;
  return { events, replies: refuseOpen(state) };
}

function fileOutput(message: Json): Decoded<string> {
  const path = text(message.file_path);
  if (!path) return ignoreLine('file.output needs a file_path', toJson(message));
  const fileName = text(message.file_name) ?? path.split(/[\\/]/).at(-1) ?? path;
  return { events: [{ type: 'file_output', path, fileName, mimeType: text(message.file_mime_type) }] };
}

function toolStart(message: Json, state: ExternalState): Decoded<string> {
  const toolCallId = text(message.tool_call_id);
  const toolName = text(message.tool);
  if (!toolCallId || !toolName || Object.hasOwn(state.openTools, toolCallId)) {
    return ignoreLine('tool.start needs a tool and a fresh tool_call_id', toJson(message));
  }
  setEntry(state.openTools, toolCallId, toolName);
  return {
    events: [
      ...closeThinking(state),
      // Text after the tool is another message.
      { type: 'message_stop' },
      { type: 'tool_call_start', toolCallId, toolName, kind: readKind(message.kind) },
      { type: 'tool_call_ready', toolCallId, toolName, input: message.input ?? {} },
    ],
  };
}

function toolEnd(message: Json, state: ExternalState): Decoded<string> {
  const toolCallId = text(message.tool_call_id) ?? '';
  const toolName = Object.hasOwn(state.openTools, toolCallId) ? state.openTools[toolCallId] : undefined;
  if (!toolName) return ignoreLine('result of a tool call that is not open', toJson(message));
  delete state.openTools[toolCallId];
  if (message.type === 'tool.result') {
    return { events: [{ type: 'tool_result', toolCallId, toolName, output: message.output ?? null }] };
  }
  const error = text(message.error) ?? 'the tool failed';
  return {
    events: [{ type: 'tool_error', toolCallId, toolName, error, denied: message.denied === true ? true : undefined }],
  };
}

function fileChange(message: Json): Decoded<string> {
  const path = text(message.path);
  const change = oneOf(message.change, FILE_CHANGES);
  if (!path || !change) {
    return ignoreLine('file.change needs a path and a known change', toJson(message));
  }
  const toolCallId = text(message.tool_call_id);
  return { events: [{ type: 'file_change', path, change, toolCallId, diff: text(message.diff) }] };
}

function plan(message: Json): Decoded<string> {
  const entries = list(message.entries).flatMap((entry) => {
    const content = text(record(entry).content);
    const status = oneOf(record(entry).status, PLAN_STATUSES) ?? 'pending';
    return content ? [{ content, status }] : [];
  });
  return { events: [{ type: 'plan_update', entries }] };
}

function usage(message: Json): Decoded<string> {
  return {
    events: [
      {
        type: 'cost',
        usage: {
          inputTokens: amount(message.input_tokens) ?? null,
          outputTokens: amount(message.output_tokens) ?? null,
          cacheReadTokens: amount(message.cache_read_tokens) ?? null,
          cacheCreationTokens: amount(message.cache_creation_tokens) ?? null,
          totalTokens: amount(message.total_tokens) ?? null,
        },
        costUsd: amount(message.cost_usd) ?? null,
        scope: oneOf(message.scope, USAGE_SCOPES) ?? 'delta',
        source: 'reported',
        model: text(message.model),
      },
    ],
  };
}

function failure(message: Json, state: ExternalState, context: DecodeContext): Decoded<string> {
  if (message.recoverable !== true) state.failed = true;
  return { events: [...closeThinking(state), readError(message, context.now)] };
}
