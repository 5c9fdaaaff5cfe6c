import { type JsonObject, listAt, objectAt, objectsAt, parseJson, stringAt } from './json.ts';
import type { ModelApi } from './request.ts';

/**
 * A minimal client of each wire API, for the tests of the model: it reads the answers independently of the encoders.
 */
export interface WireClient {
  api: ModelApi;
  path(stream: boolean): string;
  body(prompt: string, stream: boolean): JsonObject;
  /** A conversation in which the model has called `look` and got `found it` back. */
  afterToolCall(prompt: string): JsonObject;
  /** From the events of a stream, or from a whole answer as the only one. */
  read(events: readonly JsonObject[]): WireAnswer;
}

export interface WireAnswer {
  text: string;
  thinking: string;
  calls: { name: string; input: unknown }[];
  finish: string;
  tokens: { input: unknown; cached: unknown; output: unknown };
}

const joined = (values: readonly unknown[]): string => values.map(stringAt).join('');

const anthropic: WireClient = {
  api: 'anthropic',
  path: () => '/v1/messages?beta=true',
  body: (prompt, stream) => ({
    model: 'm-1',
    stream,
    system: [{ type: 'text', text: 'be brief' }],
    thinking: { type: 'enabled' },
    output_config: { effort: 'high' },
    tools: [{ name: 'look', input_schema: {} }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: prompt },
          { type: 'image', source: {} },
        ],
      },
    ],
  }),
  afterToolCall: (prompt) => ({
    model: 'm-1',
    messages: [
      { role: 'user', content: prompt },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { at: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'found it' }] },
    ],
  }),
  read: (events) => {
    const [first = {}] = events;
    const message = first.type === 'message' ? first : objectAt(first.message);
    const blocks = first.type === 'message' ? objectsAt(first.content) : streamedBlocks(events);
    const closing = events.find((event) => event.type === 'message_delta') ?? {};
    const usage = { ...objectAt(message.usage), ...objectAt(closing.usage) };
    return {
      text: joined(blocks.map((block) => block.text)),
      thinking: joined(blocks.map((block) => block.thinking)),
      calls: blocks
        .filter((block) => block.type === 'tool_use')
        .map((block) => ({ name: stringAt(block.name), input: block.input })),
      finish: stringAt(message.stop_reason) || stringAt(objectAt(closing.delta).stop_reason),
      tokens: { input: usage.input_tokens, cached: usage.cache_read_input_tokens, output: usage.output_tokens },
    };
  },
};

function streamedBlocks(events: readonly JsonObject[]): JsonObject[] {
  const starts = events.filter((event) => event.type === 'content_block_start');
  return starts.map((start) => {
    const deltas = events
      .filter((event) => event.type === 'content_block_delta' && event.index === start.index)
      .map((event) => objectAt(event.delta));
    const block = objectAt(start.content_block);
    const gather = (field: string): string => joined(deltas.map((delta) => delta[field]));
    if (block.type === 'tool_use') return { ...block, input: parseJson(gather('partial_json')) };
    return block.type === 'text' ? { ...block, text: gather('text') } : { ...block, thinking: gather('thinking') };
  });
}

const chat: WireClient = {
  api: 'openai-chat',
  path: () => '/v1/chat/completions',
  body: (prompt, stream) => ({
    model: 'm-1',
    stream,
    stream_options: { include_usage: true },
    reasoning_effort: 'high',
    tools: [{ type: 'function', function: { name: 'look' } }],
    messages: [
      { role: 'system', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: prompt },
          { type: 'image_url', image_url: { url: 'data:' } },
        ],
      },
    ],
  }),
  afterToolCall: (prompt) => ({
    model: 'm-1',
    messages: [
      { role: 'user', content: prompt },
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{"at":1}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'found it' },
    ],
  }),
  read: (events) => {
    const choices = events.map((event) => objectAt(listAt(event.choices)[0]));
    const deltas = choices.map((choice) => objectAt(choice.delta ?? choice.message));
    const pieces = deltas.flatMap((delta) => objectsAt(delta.tool_calls));
    const names = pieces.filter((piece) => piece.id !== undefined);
    const usage = objectAt(events.find((event) => event.usage)?.usage);
    return {
      text: joined(deltas.map((delta) => delta.content)),
      thinking: joined(deltas.map((delta) => delta.reasoning_content)),
      calls: names.map((call) => {
        const own = pieces.filter(
          (piece) => piece.index === call.index && (call.index !== undefined || piece === call),
        );
        const written = joined(own.map((piece) => objectAt(piece.function).arguments));
        return { name: stringAt(objectAt(call.function).name), input: parseJson(written) };
      }),
      finish: joined(choices.map((choice) => choice.finish_reason)),
      tokens: {
        input: usage.prompt_tokens,
        cached: objectAt(usage.prompt_tokens_details).cached_tokens,
        output: usage.completion_tokens,
      },
    };
  },
};

const responses: WireClient = {
  api: 'openai-responses',
  path: () => '/v1/responses',
  body: (prompt, stream) => ({
    model: 'm-1',
    stream,
    instructions: 'be brief',
    reasoning: { effort: 'high' },
    tools: [{ type: 'function', name: 'look' }],
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }, { type: 'input_image' }] },
    ],
  }),
  afterToolCall: (prompt) => ({
    model: 'm-1',
    input: [
      { role: 'user', content: prompt },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":1}' },
      { type: 'function_call_output', call_id: 'c1', output: 'found it' },
    ],
  }),
  read: (events) => {
    const [first = {}] = events;
    const done = first.object === 'response' ? first : objectAt(events.at(-1)?.response);
    const items = objectsAt(done.output);
    const usage = objectAt(done.usage);
    const streamed = (type: string): string =>
      joined(events.filter((event) => event.type === type).map((event) => event.delta));
    const whole = (field: string): string =>
      joined(items.flatMap((item) => objectsAt(item[field])).map((part) => part.text));
    return {
      text: first.object ? whole('content') : streamed('response.output_text.delta'),
      thinking: first.object ? whole('summary') : streamed('response.reasoning_summary_text.delta'),
      calls: items
        .filter((item) => item.type === 'function_call')
        .map((item) => ({ name: stringAt(item.name), input: parseJson(stringAt(item.arguments)) })),
      finish: stringAt(done.status),
      tokens: {
        input: usage.input_tokens,
        cached: objectAt(usage.input_tokens_details).cached_tokens,
        output: usage.output_tokens,
      },
    };
  },
};

const gemini: WireClient = {
  api: 'gemini',
  path: (stream) => `/v1beta/models/m-1:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (prompt) => ({
    systemInstruction: { parts: [{ text: 'be brief' }] },
    generationConfig: { thinkingConfig: { thinkingLevel: 'high' } },
    tools: [{ functionDeclarations: [{ name: 'look' }] }],
    contents: [{ role: 'user', parts: [{ text: prompt }, { inlineData: { mimeType: 'image/png', data: '' } }] }],
  }),
  afterToolCall: (prompt) => ({
    contents: [
      { role: 'user', parts: [{ text: prompt }] },
      { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look', args: { at: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'look', response: { output: 'found it' } } }] },
    ],
  }),
  read: (events) => {
    const candidates = events.map((event) => objectAt(listAt(event.candidates)[0]));
    const parts = candidates.flatMap((candidate) => objectsAt(objectAt(candidate.content).parts));
    const usage = objectAt(events.at(-1)?.usageMetadata);
    return {
      text: joined(parts.filter((part) => part.thought !== true).map((part) => part.text)),
      thinking: joined(parts.filter((part) => part.thought === true).map((part) => part.text)),
      calls: parts
        .map((part) => objectAt(part.functionCall))
        .filter((call) => call.name !== undefined)
        .map((call) => ({ name: stringAt(call.name), input: call.args })),
      finish: joined(candidates.map((candidate) => candidate.finishReason)),
      tokens: {
        input: usage.promptTokenCount,
        cached: usage.cachedContentTokenCount,
        output: Number(usage.candidatesTokenCount) + Number(usage.thoughtsTokenCount ?? 0),
      },
    };
  },
};

export const WIRE_CLIENTS: readonly WireClient[] = [anthropic, chat, responses, gemini];

export function post(url: string, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...init.headers };
  return fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), ...init, headers });
}

/** The answer of a request, streamed or not. */
export async function ask(url: string, client: WireClient, prompt: string, stream: boolean): Promise<WireAnswer> {
  const response = await post(url, client.path(stream), client.body(prompt, stream));
  const text = await response.text();
  return client.read(stream ? eventsOf(text) : [objectAt(parseJson(text))]);
}

export function eventsOf(text: string): JsonObject[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: {'));
  return data.map((line) => objectAt(parseJson(line.slice('data: '.length))));
}
