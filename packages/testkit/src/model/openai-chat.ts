import { type Codec, type Exchange, type Frame, sse } from './codec.ts';
import { isObject, type JsonObject, objectAt, objectsAt, parseJson, stringAt } from './json.ts';
import { openaiError } from './openai-error.ts';
import { type Reply, type ToolPart, toolArguments, wholeText } from './reply.ts';
import { type Conversation, type Malformed, type ModelMessage, message } from './request.ts';
import { splitText } from './split-text.ts';
import { withLeadingSystem } from './system-prompt.ts';

const FINISH_REASONS = { end: 'stop', tool: 'tool_calls', limit: 'length' } as const;

const TOO_LONG = {
  message:
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 250000 tokens. Please reduce the length of the messages.",
  param: 'messages',
};

export const openaiChat: Codec = {
  api: 'openai-chat',
  read,
  stream,
  whole,
  error: (failure) => openaiError(failure, TOO_LONG),
};

function read(body: JsonObject): Conversation | Malformed {
  if (typeof body.model !== 'string') return { malformed: 'you must provide a model parameter' };
  if (!Array.isArray(body.messages)) return { malformed: "Missing required parameter: 'messages'." };
  if (!body.messages.every(isObject)) return { malformed: "Invalid type for 'messages': expected objects." };
  return {
    model: body.model,
    ...withLeadingSystem('', objectsAt(body.messages).map(readMessage)),
    tools: objectsAt(body.tools).map((tool) => stringAt(objectAt(tool.function).name) || stringAt(tool.name)),
    stream: body.stream === true,
    effort: stringAt(body.reasoning_effort) || stringAt(objectAt(body.reasoning).effort) || null,
    thinking: body.reasoning ?? body.thinking ?? body.enable_thinking ?? null,
  };
}

function readMessage(raw: JsonObject): ModelMessage {
  const text = textOf(raw.content);
  if (raw.role === 'tool') {
    return message('tool', {
      toolResults: [{ id: stringAt(raw.tool_call_id), output: text, isError: false }],
      images: countImages(raw.content),
    });
  }
  return message(readRole(raw.role), {
    text,
    toolCalls: objectsAt(raw.tool_calls).map((call) => {
      const fn = objectAt(call.function);
      const written = stringAt(fn.arguments);
      return { id: stringAt(call.id), name: stringAt(fn.name), input: parseJson(written) ?? written };
    }),
    images: countImages(raw.content),
  });
}

/** The two APIs of OpenAI name the same roles. */
export function readRole(role: unknown): ModelMessage['role'] {
  if (role === 'assistant') return 'assistant';
  return role === 'system' || role === 'developer' ? 'system' : 'user';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsAt(content).filter((part) => part.type === 'text');
  return texts.map((part) => stringAt(part.text)).join('\n');
}

const countImages = (content: unknown): number => objectsAt(content).filter((part) => part.type === 'image_url').length;

function whole(reply: Reply, exchange: Exchange): JsonObject {
  const joined = (type: 'text' | 'think'): string =>
    reply.fields.parts.map((part) => (part.type === type ? wholeText(part) : '')).join('');
  const calls = toolParts(reply).map((part, index) => ({
    id: callId(part, index, exchange),
    type: 'function',
    function: { name: part.name, arguments: JSON.stringify(toolArguments(part)) },
  }));
  const answer = {
    role: 'assistant',
    content: joined('text') || null,
    ...(joined('think') ? { reasoning_content: joined('think') } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    ...envelope(exchange, 'chat.completion'),
    choices: [{ index: 0, message: answer, logprobs: null, finish_reason: FINISH_REASONS[reply.stopReason] }],
    usage: usage(reply),
  };
}

function* stream(reply: Reply, exchange: Exchange): Iterable<Frame> {
  const base = envelope(exchange, 'chat.completion.chunk');
  const chunk = (kind: Frame['kind'], delta: JsonObject, delayMs = 0, finish: string | null = null): Frame =>
    sse(kind, { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] }, { delayMs });

  yield chunk('open', { role: 'assistant', content: '' });
  let toolIndex = 0;
  for (const part of reply.fields.parts) {
    if (part.type === 'tool') {
      const index = toolIndex++;
      const opening = { name: part.name, arguments: '' };
      const id = callId(part, index, exchange);
      yield chunk('open', { tool_calls: [{ index, id, type: 'function', function: opening }] });
      for (const piece of splitText(JSON.stringify(toolArguments(part)), 2)) {
        yield chunk('delta', { tool_calls: [{ index, function: { arguments: piece } }] });
      }
      continue;
    }
    const field = part.type === 'text' ? 'content' : 'reasoning_content';
    for (const piece of part.pieces) yield chunk('delta', { [field]: piece }, part.delayMs);
  }
  yield chunk('finish', {}, 0, FINISH_REASONS[reply.stopReason]);
  if (wantsUsage(exchange)) yield sse('finish', { ...base, choices: [], usage: usage(reply) });
  yield { kind: 'finish', data: 'data: [DONE]\n\n', delayMs: 0 };
}

/** Like the real API, a stream reports its usage only on request. */
const wantsUsage = ({ request }: Exchange): boolean =>
  objectAt(objectAt(request.body).stream_options).include_usage === true;

const toolParts = (reply: Reply): ToolPart[] => reply.fields.parts.filter((part) => part.type === 'tool');

const callId = (part: ToolPart, index: number, exchange: Exchange): string => part.id ?? `call_${exchange.id}_${index}`;

function envelope({ id, request, now }: Exchange, object: string): JsonObject {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(now.getTime() / 1000), model: request.model };
}

function usage({ tokens }: Reply): JsonObject {
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: tokens.output,
    total_tokens: prompt + tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cacheRead },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  };
}
