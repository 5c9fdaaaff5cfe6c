import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';
import { number, parseRecord, record, word } from '../shared/json.ts';

/** Each model by its name, then a multi-line object. Works offline, from the list in the binary. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['models', '--verbose'],
  parse({ stdout, exitCode }) {
    if (exitCode !== 0) throw new Error('the models could not be listed');
    const models = objectsIn(stdout).flatMap(modelOf);
    if (models.length === 0) throw new Error('no models are listed');
    return models;
  },
};

/** The braces of a whole object are at the start of a line, all others are indented. */
function objectsIn(output: string): Record<string, unknown>[] {
  const found = [...output.matchAll(/^\{$[\s\S]*?^\}$/gm)].map(([object]) => parseRecord(object));
  return found.filter((object) => object !== null);
}

function modelOf(model: Record<string, unknown>): ModelCapabilities[] {
  const provider = word(model.providerID);
  const name = word(model.id);
  if (!provider || !name) return [];
  const capabilities = record(model.capabilities);
  const limit = record(model.limit);
  const displayName = word(model.name);
  return [
    {
      id: `${provider}/${name}`,
      ...(displayName ? { displayName } : {}),
      contextWindow: number(limit.context) || null,
      maxOutputTokens: number(limit.output) || null,
      supportsThinking: capabilities.reasoning === true,
      supportsImageInput: record(capabilities.input).image === true,
      ...pricing(record(model.cost)),
    },
  ];
}

/** A model without a price has 0, and so has a free one. */
function pricing(cost: Record<string, unknown>): Pick<ModelCapabilities, 'pricing'> {
  const input = number(cost.input) ?? 0;
  const output = number(cost.output) ?? 0;
  if (input === 0 && output === 0) return {};
  const cacheRead = number(record(cost.cache).read);
  const cacheCreation = number(record(cost.cache).write);
  return {
    pricing: { input, output, ...(cacheRead ? { cacheRead } : {}), ...(cacheCreation ? { cacheCreation } : {}) },
  };
}
