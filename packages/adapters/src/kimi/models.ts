import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';
import { type Json, number, record, texts, word } from '../shared/json.ts';

/** Its models are those of the configuration: a login adds Kimi's own. The answer contains keys, which are dropped. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['provider', 'list', '--json'],
  parse({ stdout }) {
    const answer: unknown = JSON.parse(stdout);
    return Object.entries(record(record(answer).models)).map(([alias, entry]) => read(alias, record(entry)));
  },
};

function read(alias: string, entry: Json): ModelCapabilities {
  const abilities = texts(entry.capabilities);
  const displayName = word(entry.displayName);
  return {
    id: alias,
    ...(displayName ? { displayName } : {}),
    contextWindow: number(entry.maxContextSize) ?? null,
    maxOutputTokens: number(entry.maxOutputSize) ?? null,
    supportsThinking: abilities.includes('thinking') || abilities.includes('always_thinking'),
    supportsImageInput: abilities.includes('image_in'),
  };
}
