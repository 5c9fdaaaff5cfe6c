import { type Exchange, type Frame, sse } from './codec.ts';
import { type JsonObject, objectAt, objectsAt } from './json.ts';
import { type Reply, type ReplyPart, wholeText } from './reply.ts';
import { splitText } from './split-text.ts';

/** A finished output item, the part in its opening event, and the events in between. */
interface Item {
  open: JsonObject;
  done: JsonObject;
  events(outputIndex: number): Iterable<ItemEvent>;
}

interface ItemEvent {
  kind: Frame['kind'];
  type: string;
  fields: JsonObject;
  delayMs?: number;
}

export function wholeResponse(reply: Reply, exchange: Exchange): JsonObject {
  const items = reply.fields.parts.map((part, index) => itemOf(part, index, exchange));
  return finishResponse(reply, exchange, items);
}

export function* streamResponse(reply: Reply, exchange: Exchange): Iterable<Frame> {
  let sequence = 0;
  const frame = (kind: Frame['kind'], type: string, fields: JsonObject, delayMs = 0): Frame =>
    sse(kind, { type, sequence_number: sequence++, ...fields }, { event: type, delayMs });

  yield frame('open', 'response.created', { response: envelope(exchange) });
  yield frame('open', 'response.in_progress', { response: envelope(exchange) });
  const items = reply.fields.parts.map((part, index) => itemOf(part, index, exchange));
  for (const [outputIndex, item] of items.entries()) {
    yield frame('open', 'response.output_item.added', { output_index: outputIndex, item: item.open });
    for (const { kind, type, fields, delayMs } of item.events(outputIndex)) yield frame(kind, type, fields, delayMs);
    yield frame('open', 'response.output_item.done', { output_index: outputIndex, item: item.done });
  }
  const response = finishResponse(reply, exchange, items);
  yield frame('finish', `response.${response.status}`, { response });
}

function envelope({ id, request, now }: Exchange): JsonObject & { status: string } {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(now.getTime() / 1000),
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: request.model,
    output: [],
    parallel_tool_calls: true,
    tools: [],
    usage: null,
  };
}

function finishResponse(reply: Reply, exchange: Exchange, items: readonly Item[]): JsonObject & { status: string } {
  const limited = reply.stopReason === 'limit';
  return {
    ...envelope(exchange),
    status: limited ? 'incomplete' : 'completed',
    incomplete_details: limited ? { reason: 'max_output_tokens' } : null,
    output: items.map((item) => item.done),
    usage: usage(reply),
  };
}

function itemOf(part: ReplyPart, index: number, exchange: Exchange): Item {
  const id = `${exchange.id}_${index}`;
  if (part.type === 'tool') {
    const call = { name: part.name, call_id: part.id ?? `call_${id}` };
    return typeof part.input === 'string'
      ? freeformCall(id, call, part.input)
      : functionCall(id, { ...call, ...namespaceOf(part.name, exchange) }, JSON.stringify(part.input));
  }
  const { pieces, delayMs } = part;
  return part.type === 'text'
    ? textMessage(id, wholeText(part), pieces, delayMs)
    : reasoning(id, wholeText(part), pieces, delayMs);
}

function textMessage(id: string, text: string, pieces: readonly string[], delayMs: number): Item {
  const itemId = `msg_${id}`;
  const base = { type: 'message', id: itemId, role: 'assistant' };
  const part = (value: string): JsonObject => ({ type: 'output_text', text: value, annotations: [] });
  return {
    open: { ...base, status: 'in_progress', content: [] },
    done: { ...base, status: 'completed', content: [part(text)] },
    *events(outputIndex) {
      const at = { item_id: itemId, output_index: outputIndex, content_index: 0 };
      yield { kind: 'open', type: 'response.content_part.added', fields: { ...at, part: part('') } };
      for (const delta of pieces) {
        yield { kind: 'delta', type: 'response.output_text.delta', fields: { ...at, delta }, delayMs };
      }
      yield { kind: 'open', type: 'response.output_text.done', fields: { ...at, text } };
      yield { kind: 'open', type: 'response.content_part.done', fields: { ...at, part: part(text) } };
    },
  };
}

function reasoning(id: string, text: string, pieces: readonly string[], delayMs: number): Item {
  const itemId = `rs_${id}`;
  const part = (value: string): JsonObject => ({ type: 'summary_text', text: value });
  return {
    open: { type: 'reasoning', id: itemId, summary: [] },
    done: { type: 'reasoning', id: itemId, summary: [part(text)] },
    *events(outputIndex) {
      const at = { item_id: itemId, output_index: outputIndex, summary_index: 0 };
      yield { kind: 'open', type: 'response.reasoning_summary_part.added', fields: { ...at, part: part('') } };
      for (const delta of pieces) {
        yield { kind: 'delta', type: 'response.reasoning_summary_text.delta', fields: { ...at, delta }, delayMs };
      }
      yield { kind: 'open', type: 'response.reasoning_summary_text.done', fields: { ...at, text } };
      yield { kind: 'open', type: 'response.reasoning_summary_part.done', fields: { ...at, part: part(text) } };
    },
  };
}

function functionCall(id: string, call: JsonObject, args: string): Item {
  const itemId = `fc_${id}`;
  const base = { type: 'function_call', id: itemId, ...call };
  return {
    open: { ...base, arguments: '', status: 'in_progress' },
    done: { ...base, arguments: args, status: 'completed' },
    *events(outputIndex) {
      const at = { item_id: itemId, output_index: outputIndex };
      for (const delta of splitText(args, 2)) {
        yield { kind: 'delta', type: 'response.function_call_arguments.delta', fields: { ...at, delta } };
      }
      yield { kind: 'open', type: 'response.function_call_arguments.done', fields: { ...at, arguments: args } };
    },
  };
}

function freeformCall(id: string, call: JsonObject, input: string): Item {
  const itemId = `ctc_${id}`;
  const base = { type: 'custom_tool_call', id: itemId, ...call };
  return {
    open: { ...base, input: '', status: 'in_progress' },
    done: { ...base, input, status: 'completed' },
    *events(outputIndex) {
      const at = { item_id: itemId, output_index: outputIndex };
      for (const delta of splitText(input, 2)) {
        yield { kind: 'delta', type: 'response.custom_tool_call_input.delta', fields: { ...at, delta } };
      }
      yield { kind: 'open', type: 'response.custom_tool_call_input.done', fields: { ...at, input } };
    },
  };
}

/** A tool inside a namespace must be called with it: codex does not find it otherwise. */
function namespaceOf(name: string, { request }: Exchange): { namespace?: unknown } {
  const groups = objectsAt(objectAt(request.body).tools).filter((tool) => tool.type === 'namespace');
  const group = groups.find((candidate) => objectsAt(candidate.tools).some((tool) => tool.name === name));
  return group ? { namespace: group.name } : {};
}

function usage({ tokens }: Reply): JsonObject {
  const input = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: tokens.cacheRead },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: input + tokens.output,
  };
}
