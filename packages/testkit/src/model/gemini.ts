import { type Codec, decodeName, type Exchange, type Frame, rowFor, sse } from './codec.ts';
import { isObject, type JsonObject, objectAt, objectsAt, stringAt } from './json.ts';
import { type Failure, type Reply, type ReplyPart, toolArguments, wholeText } from './reply.ts';
import { type Conversation, type Malformed, type ModelMessage, message } from './request.ts';

/** `/v1beta/models/NAME:METHOD`: the path contains the model and the method. */
export const GEMINI_PATH = /\/models\/([^:?]+):(\w+)$/;

const ERRORS: Readonly<Record<number, { status: string; message: string }>> = {
  400: {
    status: 'INVALID_ARGUMENT',
    message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  },
  401: { status: 'UNAUTHENTICATED', message: 'API key not valid. Please pass a valid API key.' },
  403: { status: 'PERMISSION_DENIED', message: 'The caller does not have permission' },
  404: { status: 'NOT_FOUND', message: 'Requested entity was not found.' },
  429: { status: 'RESOURCE_EXHAUSTED', message: 'Resource has been exhausted (e.g. check quota).' },
  500: { status: 'INTERNAL', message: 'An internal error has occurred.' },
  503: { status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' },
  529: { status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' },
};

export const gemini: Codec = { api: 'gemini', read, stream, whole, error };

function read(body: JsonObject, target: URL): Conversation | Malformed {
  if (!Array.isArray(body.contents) || !body.contents.every(isObject)) {
    return { malformed: 'GenerateContentRequest.contents: contents is not specified' };
  }
  const [, model = '', method = ''] = GEMINI_PATH.exec(target.pathname) ?? [];
  const thinking = objectAt(body.generationConfig).thinkingConfig;
  return {
    model: decodeName(model),
    system: textOf(objectsAt(objectAt(body.systemInstruction).parts)),
    messages: objectsAt(body.contents).map(readContent),
    tools: objectsAt(body.tools)
      .flatMap((group) => objectsAt(group.functionDeclarations))
      .map((tool) => stringAt(tool.name)),
    stream: method === 'streamGenerateContent',
    effort: stringAt(objectAt(thinking).thinkingLevel) || null,
    thinking: thinking ?? null,
  };
}

function readContent(content: JsonObject): ModelMessage {
  const parts = objectsAt(content.parts);
  const calls = parts.map((part) => objectAt(part.functionCall)).filter((call) => call.name !== undefined);
  const results = parts.map((part) => objectAt(part.functionResponse)).filter((result) => result.name !== undefined);
  const text = textOf(parts);
  return message(readRole(content.role, text, results.length), {
    text,
    toolCalls: calls.map((call) => ({ id: stringAt(call.id), name: stringAt(call.name), input: call.args ?? {} })),
    toolResults: results.map((result) => ({ id: stringAt(result.id) || stringAt(result.name), ...outcome(result) })),
    images: parts.filter((part) => stringAt(objectAt(part.inlineData).mimeType).startsWith('image/')).length,
  });
}

function outcome({ response }: JsonObject): { output: string; isError: boolean } {
  const fields = objectAt(response);
  const value = fields.output ?? fields.error ?? response;
  return {
    output: typeof value === 'string' ? value : JSON.stringify(value ?? null),
    isError: fields.error !== undefined,
  };
}

function readRole(role: unknown, text: string, results: number): ModelMessage['role'] {
  if (role === 'model') return 'assistant';
  return results > 0 && text === '' ? 'tool' : 'user';
}

const textOf = (parts: readonly JsonObject[]): string =>
  parts
    .filter((part) => part.thought !== true)
    .map((part) => stringAt(part.text))
    .filter((text) => text !== '')
    .join('\n');

function whole(reply: Reply, exchange: Exchange): JsonObject {
  const parts = reply.fields.parts.map((part, index) =>
    part.type === 'tool' ? callPart(part, index, exchange) : textPart(part, wholeText(part)),
  );
  return candidate(reply, exchange, parts, finishReason(reply));
}

function* stream(reply: Reply, exchange: Exchange): Iterable<Frame> {
  for (const [index, part] of reply.fields.parts.entries()) {
    if (part.type === 'tool') {
      yield sse('delta', candidate(reply, exchange, [callPart(part, index, exchange)]));
      continue;
    }
    for (const piece of part.pieces) {
      yield sse('delta', candidate(reply, exchange, [textPart(part, piece)]), { delayMs: part.delayMs });
    }
  }
  yield sse('finish', candidate(reply, exchange, [{ text: '' }], finishReason(reply)));
}

const finishReason = (reply: Reply): string => (reply.stopReason === 'limit' ? 'MAX_TOKENS' : 'STOP');

const textPart = (part: ReplyPart, text: string): JsonObject =>
  part.type === 'think' ? { text, thought: true } : { text };

function callPart(part: Extract<ReplyPart, { type: 'tool' }>, index: number, exchange: Exchange): JsonObject {
  return { functionCall: { id: part.id ?? `fn_${exchange.id}_${index}`, name: part.name, args: toolArguments(part) } };
}

function candidate(reply: Reply, exchange: Exchange, parts: readonly JsonObject[], finish?: string): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finish ? { finishReason: finish } : {}) }],
    usageMetadata: usage(reply),
    modelVersion: exchange.request.model,
    responseId: exchange.id,
  };
}

function usage({ tokens }: Reply): JsonObject {
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: tokens.output - tokens.reasoning,
    ...(tokens.reasoning > 0 ? { thoughtsTokenCount: tokens.reasoning } : {}),
    cachedContentTokenCount: tokens.cacheRead,
    totalTokenCount: prompt + tokens.output,
  };
}

function error(failure: Failure): JsonObject {
  const row = rowFor(ERRORS, failure.status, { status: 'UNKNOWN', message: 'Unknown error.' });
  const wait = failure.retryAfterSeconds;
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` }];
  return {
    error: {
      code: failure.status,
      message: failure.message ?? row.message,
      status: row.status,
      ...(wait === null ? {} : { details }),
    },
  };
}
