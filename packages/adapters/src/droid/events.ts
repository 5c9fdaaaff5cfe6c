import type { EventBody, ParseContext } from '@agent-mux/core';
import { type Json, parseRecord, record, text, texts, word } from '../shared/json.ts';
import { closeThinking, thinkingEvents } from '../shared/thinking.ts';
import { decodeStderr, readDroidFailure } from './errors.ts';
import { closeMessage, contentText, costEvent, endTool, readyTool, startTool, textDelta } from './items.ts';
import { type TurnState, turnState } from './state.ts';

interface ExecState {
  turn: TurnState;
  model: string | null;
  /** The last thinking block, which is printed twice. */
  thought: string | null;
  over: boolean;
}

/** One line of `droid exec --output-format stream-json`, or of any process's stderr. */
export function parseDroidLine(line: string, context: ParseContext): EventBody[] | EventBody | null {
  if (context.source === 'stderr') return decodeStderr(line);
  const message = parseRecord(line);
  if (!message) return null;
  const state = execState(context);
  switch (message.type) {
    case 'system':
      return startSession(message, state, context);
    case 'reasoning':
      return thought(message, state);
    case 'message':
      return said(message, state);
    case 'tool_call':
      return callTool(message, state);
    case 'tool_result':
      return endTool(text(message.id) ?? '', resultOf(message), state.turn);
    case 'completion':
      return over('completed', costEvent(message.usage, USAGE, state.model), state);
    case 'error':
      return failing(text(message.message) ?? 'the turn failed', state);
    default:
      return [];
  }
}

const USAGE = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

function startSession(message: Json, state: ExecState, context: ParseContext): EventBody[] {
  const sessionId = word(message.session_id);
  state.model = word(message.model) ?? context.options.model ?? null;
  return [
    {
      type: 'session_start',
      ...(sessionId ? { sessionId } : {}),
      ...(state.model ? { model: state.model } : {}),
      cwd: text(message.cwd) ?? context.options.cwd,
      tools: texts(message.tools),
    },
  ];
}

function thought(message: Json, state: ExecState): EventBody[] {
  const whole = text(message.text) ?? '';
  const mark = JSON.stringify([message.id, whole]);
  if (whole === '' || mark === state.thought) return [];
  state.thought = mark;
  return [...thinkingEvents(whole, state.turn), ...closeThinking(state.turn)];
}

function said(message: Json, state: ExecState): EventBody[] {
  const whole = text(message.text) ?? '';
  if (message.role !== 'assistant' || whole === '' || /^Exec ended early: /.test(whole)) return [];
  return [...textDelta(text(message.id) ?? '', whole, state.model, state.turn), ...closeMessage(state.turn)];
}

function callTool(message: Json, state: ExecState): EventBody[] {
  const id = text(message.id) ?? '';
  const input = message.parameters ?? {};
  return [...startTool(id, text(message.toolName) ?? '', input, state.turn), ...readyTool(id, input, state.turn)];
}

function resultOf(message: Json): { output: unknown; error: string | null } {
  const words = text(record(message.error).message);
  const error = message.isError === true ? (words ?? text(message.value) ?? 'the tool failed') : null;
  return { output: contentText(message.value), error };
}

/** The failure comes first; then again in the CLI's own words. */
function failing(message: string, state: ExecState): EventBody[] {
  if (/^Exec ended early: insufficient permission/.test(message)) {
    return over('completed', [{ type: 'debug', level: 'warn', code: 'droid_refused', message }], state);
  }
  return over('failed', [readDroidFailure(message)], state);
}

function over(status: 'completed' | 'failed', before: EventBody[], state: ExecState): EventBody[] {
  if (state.over) return [];
  state.over = true;
  return [...closeThinking(state.turn), ...closeMessage(state.turn), ...before, { type: 'turn_end', status }];
}

function execState(context: ParseContext): ExecState {
  context.adapterState.exec ??= { turn: turnState(), model: null, thought: null, over: false };
  // The value under this key was set above, or is the same after a JSON round trip.
  return context.adapterState.exec as ExecState;
}
