import type { EventBody, ParseContext } from '@agent-mux/core';
import {
  entryOf,
  type Json,
  number,
  parseRecord,
  record,
  records,
  setEntry,
  tableOf,
  text,
  word,
} from '../shared/json.ts';
import { MAX_TURNS_PROSE, readGooseError, readGooseProse } from './errors.ts';

/** Only the banner before the first record names the session. */
const BANNER = /^\s*\\____\)\s+(\S+) · /;

/** One line of `goose run --output-format stream-json` (1.34.0). */
export function parseGooseLine(line: string, context: ParseContext): EventBody[] | null {
  const state = context.adapterState;
  if (context.source === 'stderr') return failure(/^Error: (.+)/.exec(line)?.[1], state);
  const message = parseRecord(line);
  if (!message) return readBanner(line, context) ?? failure(/^\s*error: (.+)/.exec(line)?.[1], state);
  switch (message.type) {
    case 'message':
      return decodeMessage(record(message.message), state);
    case 'complete':
      return complete(message, state, context);
    case 'error':
      return failure(text(message.error) ?? 'the run failed', state);
    default:
      return [];
  }
}

function readBanner(line: string, { options }: ParseContext): EventBody[] | null {
  const sessionId = BANNER.exec(line)?.[1];
  if (sessionId === undefined) return null;
  return [{ type: 'session_start', sessionId, cwd: options.cwd, ...(options.model ? { model: options.model } : {}) }];
}

function failure(error: string | undefined, state: Json): EventBody[] | null {
  return error === undefined ? null : [noteFailure(readGooseError(error), state)];
}

/** Pieces of one message have the same id. */
function decodeMessage(message: Json, state: Json): EventBody[] {
  const id = word(message.id);
  const events: EventBody[] = [];
  if (message.role === 'assistant' && id !== state.messageId) {
    if (state.messageId !== undefined) events.push({ type: 'message_stop' });
    state.messageId = id;
  }
  return [...events, ...records(message.content).flatMap((part) => decodePart(part, state))];
}

function decodePart(part: Json, state: Json): EventBody[] {
  switch (part.type) {
    case 'text':
      return said(text(part.text) ?? '', state);
    case 'thinking':
      return [{ type: 'thinking_delta', delta: text(part.thinking) ?? '' }];
    case 'toolRequest':
      return toolRequest(part, state);
    case 'toolResponse':
      return toolResponse(part, state);
    default:
      return [];
  }
}

function said(words: string, state: Json): EventBody[] {
  const prose = readGooseProse(words);
  if (prose) return prose.map((event) => noteFailure(event, state));
  if (words.startsWith(MAX_TURNS_PROSE)) state.maxTurns = true;
  return words === '' ? [] : [{ type: 'text_delta', delta: words }];
}

function noteFailure(event: EventBody, state: Json): EventBody {
  state.failed = true;
  return event;
}

function toolRequest(part: Json, state: Json): EventBody[] {
  const toolCallId = text(part.id) ?? '';
  const call = record(record(part.toolCall).value);
  const toolName = word(call.name) ?? 'tool';
  setEntry<unknown>(tableOf(state, 'tools'), toolCallId, toolName);
  return [
    { type: 'message_stop' },
    { type: 'tool_call_start', toolCallId, toolName },
    { type: 'tool_call_ready', toolCallId, toolName, input: call.arguments ?? {} },
  ];
}

function toolResponse(part: Json, state: Json): EventBody[] {
  const toolCallId = text(part.id) ?? '';
  const toolName = text(entryOf(record(state.tools), toolCallId)) ?? 'tool';
  const result = record(part.toolResult);
  const value = record(result.value);
  const output = records(value.content)
    .map((content) => text(content.text) ?? '')
    .join('');
  if (result.status !== 'success' || value.isError === true) {
    return [{ type: 'tool_error', toolCallId, toolName, error: output || (text(result.error) ?? 'the tool failed') }];
  }
  const exitCode = number(record(value.structuredContent).exit_code);
  return [{ type: 'tool_result', toolCallId, toolName, output, ...(exitCode === undefined ? {} : { exitCode }) }];
}

/** Its counts are those of the session so far, and null if the turn produced nothing. */
function complete(message: Json, state: Json, context: ParseContext): EventBody[] {
  const totalTokens = number(message.total_tokens);
  const cost: EventBody[] =
    totalTokens === undefined || context.resumed
      ? []
      : [
          {
            type: 'cost',
            usage: {
              inputTokens: number(message.input_tokens) ?? null,
              outputTokens: number(message.output_tokens) ?? null,
              cacheReadTokens: null,
              cacheCreationTokens: null,
              totalTokens,
            },
            costUsd: null,
            scope: 'session',
            source: 'reported',
          },
        ];
  if (state.failed) return [...cost, { type: 'turn_end', status: 'failed' }];
  // It comes after an interrupt too: only the engine knows whether the turn was completed.
  return state.maxTurns ? [...cost, { type: 'turn_end', status: 'max_turns' }] : cost;
}
