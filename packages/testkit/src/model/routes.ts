import { anthropic } from './anthropic.ts';
import { type Codec, decodeName } from './codec.ts';
import { GEMINI_PATH, gemini } from './gemini.ts';
import type { JsonObject } from './json.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

export type Route =
  | { type: 'generate'; codec: Codec }
  | { type: 'count'; codec: Codec; field: 'input_tokens' | 'totalTokens' }
  | { type: 'models' }
  | { type: 'unknown'; codec: Codec };

/** Only the end of a path counts: clients differ in what they put between the base URL and it. */
const GENERATE: readonly { path: RegExp; codec: Codec }[] = [
  { path: /\/messages$/, codec: anthropic },
  { path: /\/chat\/completions$/, codec: openaiChat },
  { path: /\/responses$/, codec: openaiResponses },
  { path: /:(?:streamG|g)enerateContent$/, codec: gemini },
];

export function routeOf(method: string, target: URL): Route {
  const path = target.pathname;
  if (method === 'POST') {
    const generate = GENERATE.find((row) => row.path.test(path));
    if (generate) return { type: 'generate', codec: generate.codec };
    if (path.endsWith('/messages/count_tokens')) return { type: 'count', codec: anthropic, field: 'input_tokens' };
    if (path.endsWith(':countTokens')) return { type: 'count', codec: gemini, field: 'totalTokens' };
  }
  if (method === 'GET' && /\/models(?:\/[^:/]+)?$/.test(path)) return { type: 'models' };
  return { type: 'unknown', codec: GEMINI_PATH.test(path) ? gemini : anthropic };
}

/**
 * The list of models, or the one that the path names, in a format that the clients of all vendors can read. Codex reads
 * its own catalog under `models`; when that is empty it keeps its built-in one.
 */
export function modelsAnswer(target: URL, names: readonly string[]): unknown {
  const entry = target.pathname.startsWith('/v1beta') ? geminiModel : vendorModel;
  const named = /\/models\/([^:/]+)$/.exec(target.pathname)?.[1];
  if (named !== undefined) return entry(decodeName(named));
  const entries = names.map(entry);
  return entry === geminiModel
    ? { models: entries }
    : { object: 'list', data: entries, has_more: false, first_id: names[0], last_id: names.at(-1), models: [] };
}

function geminiModel(name: string): JsonObject {
  const supportedGenerationMethods = ['generateContent', 'countTokens'];
  return { name: `models/${name}`, displayName: name, supportedGenerationMethods };
}

function vendorModel(id: string): JsonObject {
  const [created, created_at] = [1_767_225_600, '2026-01-01T00:00:00Z'];
  return { id, object: 'model', type: 'model', display_name: id, created, created_at, owned_by: 'scripted' };
}
