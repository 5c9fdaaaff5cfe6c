import type { Codec, Exchange, Frame } from './codec.ts';
import { isObject, type JsonObject, objectAt, objectsAt, parseJson, stringAt } from './json.ts';
import { readRole } from './openai-chat.ts';
import { openaiError } from './openai-error.ts';
import { streamResponse, wholeResponse } from './openai-responses-answer.ts';
import type { Reply } from './reply.ts';
import { type Conversation, type Malformed, type ModelMessage, message } from './request.ts';
import { withLeadingSystem } from './system-prompt.ts';

const TOO_LONG = {
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  param: 'input',
};

export const openaiResponses: Codec = {
  api: 'openai-responses',
  read,
  stream: (reply: Reply, exchange: Exchange): Iterable<Frame> => streamResponse(reply, exchange),
  whole: wholeResponse,
  error: (failure) => openaiError(failure, TOO_LONG),
};

function read(body: JsonObject): Conversation | Malformed {
  if (typeof body.model !== 'string') return { malformed: "Missing required parameter: 'model'." };
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  if (!Array.isArray(items)) return { malformed: "Missing required parameter: 'input'." };
  if (!items.every(isObject)) return { malformed: "Invalid type for 'input': expected objects." };
  const messages = joinAdjacent(objectsAt(items).map(readItem));
  const reasoning = objectAt(body.reasoning);
  return {
    model: body.model,
    ...withLeadingSystem(stringAt(body.instructions), messages),
    tools: objectsAt(body.tools).flatMap(toolNames),
    stream: body.stream === true,
    effort: stringAt(reasoning.effort) || null,
    thinking: body.reasoning ?? null,
  };
}

/** Codex groups the tools of an MCP server in one entry of type `namespace`; hosted tools have a type and no name. */
function toolNames(tool: JsonObject): string[] {
  if (tool.type === 'namespace') return objectsAt(tool.tools).flatMap(toolNames);
  return [stringAt(tool.name) || stringAt(tool.type)];
}

function readItem(item: JsonObject): ModelMessage {
  const type = stringAt(item.type);
  if (type.endsWith('_call')) {
    const written = stringAt(item.arguments) || stringAt(item.input);
    const input = type === 'function_call' ? (parseJson(written) ?? written) : written || item.action;
    const call = { id: stringAt(item.call_id), name: stringAt(item.name) || type, input };
    return message('assistant', { toolCalls: [call] });
  }
  if (type.endsWith('_call_output')) {
    const result = { id: stringAt(item.call_id), output: textOf(item.output), isError: false };
    return message('tool', { toolResults: [result], images: countImages(item.output) });
  }
  if (type === 'reasoning') return message('assistant');
  return message(readRole(item.role), { text: textOf(item.content), images: countImages(item.content) });
}

/** Here one answer of the model is several items: joined, so that one answer is one message as in the other APIs. */
function joinAdjacent(messages: readonly ModelMessage[]): ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const next of messages) {
    const last = joined.at(-1);
    if (!last || last.role !== next.role || (next.role !== 'assistant' && next.role !== 'tool')) {
      joined.push(next);
      continue;
    }
    last.text = [last.text, next.text].filter((text) => text !== '').join('\n');
    last.toolCalls.push(...next.toolCalls);
    last.toolResults.push(...next.toolResults);
    last.images += next.images;
  }
  return joined;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsAt(content)
    .map((part) => stringAt(part.text))
    .filter((text) => text !== '')
    .join('\n');
}

const countImages = (content: unknown): number =>
  objectsAt(content).filter((part) => part.type === 'input_image').length;
