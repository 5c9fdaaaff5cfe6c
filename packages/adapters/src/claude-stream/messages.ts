import type { EventBody } from '@agent-mux/core';
import { entryOf, type Json, number, record, records, setEntry, text, withPiece, word } from '../shared/json.ts';
import type { StreamDialect } from './dialect.ts';
import { MAIN, type OpenMessage, type StreamState } from './state.ts';
import { abandonTools, parentOf, readyTool, startTool, toolInput } from './tools.ts';
import { addCounts, costDelta, countsOf, isNothing, tierOf, tokenUsage } from './usage.ts';

const REPEATED = 'The agent lost its connection to the model and repeats the request.';

export function scopeOf(line: Json): string {
  return word(line.parent_tool_use_id) ?? MAIN;
}

/** One `stream_event`: a wrapped event of Anthropic's Messages stream. */
export function decodeStreamEvent(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  const event = record(line.event);
  const scope = scopeOf(line);
  const open = entryOf(state.messages, scope);
  switch (event.type) {
    case 'content_block_delta':
      return open ? blockDelta(event, open, scope, state, dialect) : [];
    case 'content_block_start':
      return open ? blockStart(event, open, scope, state, dialect) : [];
    case 'content_block_stop':
      return open ? blockStop(event, open, scope, state, dialect) : [];
    case 'message_start':
      return [...closeMessage(scope, state, dialect), ...startStreamed(record(event.message), scope, state)];
    case 'message_delta':
      if (open) open.usage = countsOf(event.usage, open.usage);
      if (open && word(record(event.delta).stop_reason)) open.end = 'finished';
      return [];
    case 'message_stop':
      if (!open || isCutOff(line, open)) return [];
      return [...abandonBlocks(line, open, scope, state), ...closeMessage(scope, state, dialect)];
    default:
      return [];
  }
}

function startStreamed(message: Json, scope: string, state: StreamState): EventBody[] {
  const id = word(message.id) ?? '';
  setEntry(state.lastStreamed, scope, id);
  return openMessage({ id, model: word(message.model), streamed: true, usage: message.usage }, scope, state);
}

function openMessage(
  message: { id: string; model: string | undefined; streamed: boolean; usage: unknown },
  scope: string,
  state: StreamState,
): EventBody[] {
  const { id, streamed } = message;
  const tier = tierOf(message.usage);
  // Output of the CLI itself (`/context`) comes from no model.
  const model = message.model === '<synthetic>' ? undefined : message.model;
  setEntry(state.messages, scope, {
    id,
    ...(model ? { model } : {}),
    streamed,
    usage: countsOf(message.usage),
    ...(tier ? { tier } : {}),
    blocks: {},
    confirmed: '',
  });
  return [{ type: 'message_start', ...(id ? { messageId: id } : {}), ...(model ? { model } : {}), ...parentOf(scope) }];
}

/** Usage is reported when a message ends: a dropped message was paid for as well. */
export function closeMessage(scope: string, state: StreamState, dialect: StreamDialect): EventBody[] {
  const open = entryOf(state.messages, scope);
  if (!open) return [];
  delete state.messages[scope];
  const events: EventBody[] = [
    { type: 'message_stop', ...(open.id ? { messageId: open.id } : {}), ...parentOf(scope) },
  ];
  if (isNothing(open.usage)) return events;
  state.counted = addCounts(state.counted, open.usage);
  return [...events, costDelta(tokenUsage(open.usage, dialect.inputIncludesCache), null, open)];
}

function blockStart(
  event: Json,
  open: OpenMessage,
  scope: string,
  state: StreamState,
  dialect: StreamDialect,
): EventBody[] {
  const block = record(event.content_block);
  const index = String(event.index);
  switch (block.type) {
    case 'text':
      setEntry(open.blocks, index, { kind: 'text' });
      return saidText(text(block.text) ?? '', scope, state, dialect);
    case 'thinking':
      setEntry(open.blocks, index, { kind: 'thinking' });
      return [{ type: 'thinking_start', ...parentOf(scope) }, ...thought(text(block.thinking) ?? '', scope)];
    case 'tool_use': {
      const id = word(block.id) ?? '';
      setEntry(open.blocks, index, { kind: 'tool', toolCallId: id });
      return startTool(id, word(block.name) ?? '', scope, state);
    }
    default:
      setEntry(open.blocks, index, { kind: 'other' });
      return [];
  }
}

function blockDelta(
  event: Json,
  open: OpenMessage,
  scope: string,
  state: StreamState,
  dialect: StreamDialect,
): EventBody[] {
  const delta = record(event.delta);
  switch (delta.type) {
    case 'text_delta':
      return saidText(text(delta.text) ?? '', scope, state, dialect);
    case 'thinking_delta':
      return thought(text(delta.thinking) ?? '', scope);
    case 'input_json_delta': {
      const id = entryOf(open.blocks, String(event.index))?.toolCallId;
      return id ? toolInput(id, text(delta.partial_json) ?? '', scope, state) : [];
    }
    default:
      return [];
  }
}

function blockStop(
  event: Json,
  open: OpenMessage,
  scope: string,
  state: StreamState,
  dialect: StreamDialect,
): EventBody[] {
  const block = entryOf(open.blocks, String(event.index));
  if (block?.kind === 'thinking') return [{ type: 'thinking_stop', ...parentOf(scope) }];
  // A truncated stream also closes its blocks: the input counts as complete only if it parses.
  if (block?.toolCallId && isWhole(entryOf(state.tools, block.toolCallId)?.json)) {
    return readyTool(block.toolCallId, undefined, state, dialect);
  }
  return [];
}

function isWhole(json: string | undefined): boolean {
  if (!json) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function saidText(delta: string, scope: string, state: StreamState, dialect: StreamDialect): EventBody[] {
  if (delta === '') return [];
  if (dialect.isErrorText?.(delta)) {
    state.failure = { ...state.failure, text: delta };
    return [];
  }
  return [{ type: 'text_delta', delta, ...parentOf(scope) }];
}

function thought(delta: string, scope: string): EventBody[] {
  return delta === '' ? [] : [{ type: 'thinking_delta', delta, ...parentOf(scope) }];
}

/**
 * `message_stop` with `abandoned_blocks`: everything streamed from that block on is void, because the request broke and
 * is repeated. An interrupt prints it too, with an index after the last block: then nothing is void.
 */
function abandonBlocks(line: Json, open: OpenMessage, scope: string, state: StreamState): EventBody[] {
  const from = number(record(line.abandoned_blocks).from_block_index);
  if (from === undefined) return [];
  const lost = Object.entries(open.blocks).filter(([index]) => Number(index) >= from);
  const tools = lost.flatMap(([, block]) => (block.toolCallId ? [block.toolCallId] : []));
  const events = abandonTools(tools, state);
  if (scope !== MAIN || lost.every(([, block]) => block.kind === 'tool')) return events;
  events.push({ type: 'message_discard', reason: REPEATED });
  if (open.confirmed !== '') events.push({ type: 'text_delta', delta: open.confirmed });
  return events;
}

/**
 * A message that stops without a reason was truncated. Releases without `abandoned_blocks` (seen in 2.1.280) show only
 * with the next line whether it is repeated (`api_retry`) or was interrupted: until then it stays open.
 */
function isCutOff(line: Json, open: OpenMessage): boolean {
  if (!open.streamed || open.end === 'finished' || line.abandoned_blocks !== undefined) return false;
  open.end = 'cut off';
  return true;
}

/** The request is repeated: the truncated part is void. */
export function dropTruncated(state: StreamState, dialect: StreamDialect): EventBody[] {
  if (state.messages[MAIN]?.end !== 'cut off') return [];
  return [...discardMessage(REPEATED, state), ...closeMessage(MAIN, state, dialect)];
}

/** The streamed part of the open message is void. */
export function discardMessage(reason: string, state: StreamState): EventBody[] {
  const blocks = Object.values(state.messages[MAIN]?.blocks ?? {});
  const tools = blocks.flatMap(({ toolCallId }) => (toolCallId ? [toolCallId] : []));
  const events = abandonTools(tools, state);
  if (blocks.some(({ kind }) => kind === 'text' || kind === 'thinking')) {
    events.push({ type: 'message_discard', reason });
  }
  return events;
}

/**
 * An `assistant` line holds one whole block. For a streamed message it repeats the deltas and completes a tool's input.
 * Without a stream (a retry without streaming, a subagent) it is the only source.
 */
export function decodeAssistant(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  const message = record(line.message);
  const scope = scopeOf(line);
  const id = word(message.id) ?? '';
  const content = records(message.content);
  if (line.is_api_error_message === true) {
    state.failure = {
      kind: word(line.error),
      status: number(line.api_error_status),
      text: content.map((block) => text(block.text) ?? '').join(''),
    };
    return [];
  }
  const open = entryOf(state.messages, scope);
  const echo = open?.streamed ? open.id === id || dialect.echoHasOtherId : entryOf(state.lastStreamed, scope) === id;
  if (echo) return confirm(content, message, open, state, dialect);
  return wholeMessage({ id, message, content }, scope, state, dialect);
}

function confirm(
  content: readonly Json[],
  message: Json,
  open: OpenMessage | undefined,
  state: StreamState,
  dialect: StreamDialect,
): EventBody[] {
  if (dialect.usage === 'assistant' && open) open.usage = addCounts(open.usage, countsOf(message.usage));
  return content.flatMap((block) => {
    if (block.type === 'text' && open) open.confirmed = withPiece(open.confirmed, text(block.text) ?? '');
    return block.type === 'tool_use' ? readyTool(word(block.id) ?? '', block.input, state, dialect) : [];
  });
}

function wholeMessage(
  { id, message, content }: { id: string; message: Json; content: readonly Json[] },
  scope: string,
  state: StreamState,
  dialect: StreamDialect,
): EventBody[] {
  const events: EventBody[] = [];
  let open = entryOf(state.messages, scope);
  if (open?.id !== id) {
    events.push(...closeMessage(scope, state, dialect));
    events.push(...openMessage({ id, model: word(message.model), streamed: false, usage: undefined }, scope, state));
    open = entryOf(state.messages, scope);
  }
  for (const block of content) events.push(...wholeBlock(block, scope, state, dialect));
  // Only the last line of a message has final counts and a stop reason.
  if (open && (dialect.usage === 'assistant' || word(message.stop_reason))) open.usage = countsOf(message.usage);
  return events;
}

function wholeBlock(block: Json, scope: string, state: StreamState, dialect: StreamDialect): EventBody[] {
  switch (block.type) {
    case 'text':
      return saidText(text(block.text) ?? '', scope, state, dialect);
    case 'thinking':
      return [
        { type: 'thinking_start', ...parentOf(scope) },
        ...thought(text(block.thinking) ?? '', scope),
        { type: 'thinking_stop', ...parentOf(scope) },
      ];
    case 'tool_use': {
      const id = word(block.id) ?? '';
      return [...startTool(id, word(block.name) ?? '', scope, state), ...readyTool(id, block.input, state, dialect)];
    }
    default:
      return [];
  }
}
