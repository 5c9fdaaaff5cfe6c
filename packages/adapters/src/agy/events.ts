import type { EventBody, ParseContext } from '@agent-mux/core';
import { failureFromText } from '../documented/index.ts';
import {
  amount,
  entryOf,
  isRecord,
  type Json,
  parseRecord,
  record,
  setEntry,
  tableOf,
  text,
  word,
} from '../shared/json.ts';

/** One line of `agy --print --output-format stream-json`: `{event, <event>: {...}}`. */
export function parseAgyLine(line: string, context: ParseContext): EventBody[] | null {
  const message = parseRecord(line);
  const event = word(message?.event);
  if (!message || !event) return null;
  const body = record(entryOf(message, event));
  switch (event) {
    case 'init': {
      const sessionId = word(message.conversation_id) ?? word(body.conversation_id);
      const model = word(body.model);
      return [{ type: 'session_start', ...(sessionId ? { sessionId } : {}), ...(model ? { model } : {}) }];
    }
    case 'step_update':
      return step(body, context.adapterState);
    case 'result':
      return result(body, context.adapterState);
    default:
      return [];
  }
}

function step(body: Json, state: Json): EventBody[] {
  // The last update of a step has only its number.
  const kinds = tableOf(state, 'kinds');
  const index = String(body.step_index ?? '');
  const kind = word(body.step_type) ?? word(entryOf(kinds, index));
  if (kind) setEntry<unknown>(kinds, index, kind);
  if (kind === 'agent_response') return answer(body, state);
  return kind === 'tool' ? tool(index, body, state) : [];
}

function answer(body: Json, state: Json): EventBody[] {
  const delta = text(body.text_delta) ?? '';
  if (delta !== '') state.answered = true;
  return [
    ...(delta === '' ? [] : [{ type: 'text_delta' as const, delta }]),
    ...(body.state === 'DONE' ? [{ type: 'message_stop' as const }] : []),
  ];
}

function tool(toolCallId: string, body: Json, state: Json): EventBody[] {
  const info = record(body.tool_info);
  const seen = tableOf(state, 'tools');
  const toolName = word(body.tool_name) ?? word(info.name) ?? word(entryOf(seen, toolCallId)) ?? 'tool';
  const events: EventBody[] = [];
  if (entryOf(seen, toolCallId) === undefined) {
    setEntry<unknown>(seen, toolCallId, toolName);
    events.push({ type: 'tool_call_start', toolCallId, toolName });
    events.push({ type: 'tool_call_ready', toolCallId, toolName, input: info.parameters ?? info });
  }
  if (body.state === 'DONE') events.push({ type: 'tool_result', toolCallId, toolName, output: info.output ?? '' });
  if (body.state === 'ERROR') {
    const error = word(body.error) ?? word(info.error) ?? 'the tool failed';
    events.push({ type: 'tool_error', toolCallId, toolName, error });
  }
  return events;
}

function result(body: Json, state: Json): EventBody[] {
  const events: EventBody[] = [];
  const response = word(body.response);
  if (response && !state.answered) events.push({ type: 'text_delta', delta: response });
  if (isRecord(body.usage)) {
    const count = (name: string) => amount(record(body.usage)[name]) ?? null;
    const usage = {
      inputTokens: count('input_tokens'),
      outputTokens: count('output_tokens'),
      cacheReadTokens: count('cache_read_tokens'),
      cacheCreationTokens: null,
      totalTokens: count('total_tokens'),
    };
    events.push({ type: 'cost', usage, costUsd: null, scope: 'turn', source: 'reported' });
  }
  if (body.status === 'SUCCESS') return [...events, { type: 'turn_end', status: 'completed' }];
  return [...events, ...failureFromText(word(body.error)), { type: 'turn_end', status: 'failed' }];
}
