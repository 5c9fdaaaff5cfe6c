import { type Codec, type Exchange, type Frame, rowFor, sse } from './codec.ts';
import { isObject, type JsonObject, listAt, objectAt, objectsAt, stringAt } from './json.ts';
import { type Failure, type Reply, type ReplyPart, toolArguments, wholeText } from './reply.ts';
import { type Conversation, type Malformed, type ModelMessage, message } from './request.ts';
import { splitText } from './split-text.ts';

const STOP_REASONS = { end: 'end_turn', tool: 'tool_use', limit: 'max_tokens' } as const;

const ERRORS: Readonly<Record<number, { type: string; message: string }>> = {
  400: { type: 'invalid_request_error', message: 'prompt is too long: 250000 tokens > 200000 maximum' },
  401: { type: 'authentication_error', message: 'invalid x-api-key' },
  403: { type: 'permission_error', message: 'Your API key does not have permission to use the specified resource.' },
  404: { type: 'not_found_error', message: 'Not found' },
  413: { type: 'request_too_large', message: 'Request exceeds the maximum allowed number of bytes.' },
  429: {
    type: 'rate_limit_error',
    message: "This request would exceed your account's rate limit. Please try again later.",
  },
  500: { type: 'api_error', message: 'Internal server error' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
};

export const anthropic: Codec = { api: 'anthropic', read, stream, whole, error };

function read(body: JsonObject): Conversation | Malformed {
  if (typeof body.model !== 'string') return { malformed: 'model: Field required' };
  if (!Array.isArray(body.messages)) return { malformed: 'messages: Field required' };
  if (!body.messages.every(isObject)) return { malformed: 'messages: Input should be a valid dictionary' };
  return {
    model: body.model,
    system: textOf(body.system),
    messages: objectsAt(body.messages).map(readMessage),
    tools: objectsAt(body.tools).map((tool) => stringAt(tool.name)),
    stream: body.stream === true,
    effort: stringAt(objectAt(body.output_config).effort) || null,
    thinking: body.thinking ?? null,
  };
}

function readMessage(raw: JsonObject): ModelMessage {
  const blocks = objectsAt(raw.content);
  const results = blocks.filter((block) => block.type === 'tool_result');
  const text = textOf(raw.content);
  return message(readRole(raw.role, text, results.length), {
    text,
    toolCalls: blocks
      .filter((block) => block.type === 'tool_use')
      .map((block) => ({ id: stringAt(block.id), name: stringAt(block.name), input: block.input })),
    toolResults: results.map((block) => ({
      id: stringAt(block.tool_use_id),
      output: textOf(block.content),
      isError: block.is_error === true,
    })),
    images: countImages(blocks),
  });
}

function readRole(role: unknown, text: string, results: number): ModelMessage['role'] {
  if (role === 'assistant') return 'assistant';
  if (role === 'system' || role === 'developer') return 'system';
  return results > 0 && text === '' ? 'tool' : 'user';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsAt(content).filter((block) => block.type === 'text');
  return texts.map((block) => stringAt(block.text)).join('\n');
}

/** Images also come back inside tool results. */
function countImages(blocks: readonly JsonObject[]): number {
  const nested = blocks.flatMap((block) => (block.type === 'tool_result' ? listAt(block.content) : []));
  return [...blocks, ...nested].filter((block) => objectAt(block).type === 'image').length;
}

function whole(reply: Reply, exchange: Exchange): JsonObject {
  return {
    ...envelope(exchange),
    content: reply.fields.parts.map((part, index) => finishedBlock(part, index, exchange)),
    stop_reason: STOP_REASONS[reply.stopReason],
    usage: { ...inputUsage(reply), output_tokens: reply.tokens.output },
  };
}

function* stream(reply: Reply, exchange: Exchange): Iterable<Frame> {
  const usage = { ...inputUsage(reply), output_tokens: 1 };
  yield event('open', 'message_start', { message: { ...envelope(exchange), usage } });
  for (const [index, part] of reply.fields.parts.entries()) {
    yield event('open', 'content_block_start', { index, content_block: openBlock(part, index, exchange) });
    for (const { delta, delayMs } of deltas(part))
      yield event('delta', 'content_block_delta', { index, delta }, delayMs);
    if (part.type === 'think') {
      yield event('open', 'content_block_delta', { index, delta: { type: 'signature_delta', signature: SIGNATURE } });
    }
    yield event('open', 'content_block_stop', { index });
  }
  const delta = { stop_reason: STOP_REASONS[reply.stopReason], stop_sequence: null };
  yield event('finish', 'message_delta', { delta, usage: { output_tokens: reply.tokens.output } });
  yield event('finish', 'message_stop', {});
}

const SIGNATURE = Buffer.from('scripted signature').toString('base64');

const event = (kind: Frame['kind'], type: string, fields: JsonObject, delayMs = 0): Frame =>
  sse(kind, { type, ...fields }, { event: type, delayMs });

function envelope({ id, request }: Exchange): JsonObject {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function inputUsage({ tokens }: Reply): JsonObject {
  return {
    input_tokens: tokens.input,
    cache_creation_input_tokens: tokens.cacheWrite,
    cache_read_input_tokens: tokens.cacheRead,
  };
}

function openBlock(part: ReplyPart, index: number, exchange: Exchange): JsonObject {
  if (part.type === 'text') return { type: 'text', text: '' };
  if (part.type === 'think') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'tool_use', id: part.id ?? `toolu_${exchange.id}_${index}`, name: part.name, input: {} };
}

function finishedBlock(part: ReplyPart, index: number, exchange: Exchange): JsonObject {
  const open = openBlock(part, index, exchange);
  if (part.type === 'text') return { ...open, text: wholeText(part) };
  if (part.type === 'think') return { ...open, thinking: wholeText(part), signature: SIGNATURE };
  return { ...open, input: toolArguments(part) };
}

function* deltas(part: ReplyPart): Iterable<{ delta: JsonObject; delayMs: number }> {
  if (part.type === 'tool') {
    for (const partial of splitText(JSON.stringify(toolArguments(part)), 2)) {
      yield { delta: { type: 'input_json_delta', partial_json: partial }, delayMs: 0 };
    }
    return;
  }
  for (const piece of part.pieces) {
    const delta =
      part.type === 'text' ? { type: 'text_delta', text: piece } : { type: 'thinking_delta', thinking: piece };
    yield { delta, delayMs: part.delayMs };
  }
}

function error(failure: Failure): JsonObject {
  const row = rowFor(ERRORS, failure.status, { type: 'api_error', message: 'Internal server error' });
  return { type: 'error', error: { type: row.type, message: failure.message ?? row.message } };
}
