import type { EventBody, ParseContext } from '@agent-mux/core';
import type { Failure } from '../../shared/failures.ts';
import { entryOf, type Json, parseRecord, record, text, word } from '../../shared/json.ts';
import { decodeStderr, isRetryMessage, readCodexFailure, retriesForever, retryEvent } from '../errors.ts';
import { type ItemState, itemState } from '../item-state.ts';
import { decodeItemEnd, decodeItemStart } from '../items.ts';
import { threadCost } from '../usage.ts';

interface ExecState {
  items: ItemState;
  /** The failure has been emitted: it comes a second time with the end of the turn. */
  failed: boolean;
  over: boolean;
  retries: number;
}

/** One line of `codex exec --json`, or of any process's stderr. */
export function parseCodexLine(line: string, context: ParseContext): EventBody[] | EventBody | null {
  if (context.source === 'stderr') return decodeStderr(line);
  const message = parseRecord(line);
  if (!message) return null;
  const state = execState(context);
  switch (message.type) {
    case 'thread.started':
      return startThread(message, context);
    case 'item.started':
      return decodeItemStart(appServerItem(record(message.item)), state.items);
    case 'item.completed':
      return completeItem(record(message.item), state);
    case 'turn.completed':
      return endTurn('completed', state, usage(message, context));
    case 'turn.failed':
      return endTurn(
        'failed',
        state,
        state.failed ? [] : [readCodexFailure(failure(text(record(message.error).message)))],
      );
    case 'error':
      return failureEvents(failure(text(message.message)), state);
    default:
      return [];
  }
}

function startThread(message: Json, context: ParseContext): EventBody[] {
  const sessionId = word(message.thread_id);
  const { model, cwd } = context.options;
  return [{ type: 'session_start', ...(sessionId ? { sessionId } : {}), ...(model ? { model } : {}), cwd }];
}

function completeItem(item: Json, state: ExecState): EventBody[] {
  if (item.type !== 'error') return decodeItemEnd(appServerItem(item), state.items);
  // A warning: the turn continues.
  return [{ type: 'debug', level: 'warn', code: 'codex_warning', message: text(item.message) ?? 'a warning' }];
}

function failureEvents(said: Failure, state: ExecState): EventBody[] {
  if (state.over || state.failed) return [];
  if (retriesForever(said)) return endTurn('failed', state, [readCodexFailure(said)]);
  if (isRetryMessage(said.text)) return [retryEvent(said, state.retries++)];
  state.failed = true;
  return [readCodexFailure(said)];
}

function endTurn(status: 'completed' | 'failed', state: ExecState, before: EventBody[]): EventBody[] {
  if (state.over) return [];
  state.over = true;
  return [...before, { type: 'turn_end', status }];
}

/** The count is that of the whole thread. For a resumed run its own share is unknown. */
function usage(message: Json, context: ParseContext): EventBody[] {
  return context.resumed ? [] : [threadCost(record(message.usage))];
}

function failure(message: string | undefined): Failure {
  return { text: message ?? 'the turn failed' };
}

const ITEM_TYPES: Readonly<Record<string, string>> = {
  agent_message: 'agentMessage',
  reasoning: 'reasoning',
  command_execution: 'commandExecution',
  file_change: 'fileChange',
  mcp_tool_call: 'mcpToolCall',
  web_search: 'webSearch',
  collab_tool_call: 'collabAgentToolCall',
};

/** The same items under other names. */
function appServerItem(item: Json): Json {
  const type = entryOf(ITEM_TYPES, text(item.type) ?? '') ?? item.type;
  const content = type === 'reasoning' ? { summary: [item.text] } : {};
  return { ...item, ...content, type, aggregatedOutput: item.aggregated_output, exitCode: item.exit_code };
}

function execState(context: ParseContext): ExecState {
  const { model } = context.options;
  context.adapterState.exec ??= { items: itemState(model ?? null), failed: false, over: false, retries: 0 };
  // The value under this key was set above, or is the same after a JSON round trip.
  return context.adapterState.exec as ExecState;
}
