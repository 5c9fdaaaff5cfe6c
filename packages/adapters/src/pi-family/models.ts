import type { ModelCapabilities } from '@agent-mux/core';
import { type Json, number, record, records, texts, word } from '../shared/json.ts';
import { modelName } from './messages.ts';

/** Details of each model that the agent has a key for. */
export function modelsFrom(list: unknown): ModelCapabilities[] {
  return records(list).flatMap((model) => {
    const id = word(model.provider) && modelName(model.provider, model.id);
    const displayName = word(model.name);
    if (!id) return [];
    return [
      {
        id,
        ...(displayName ? { displayName } : {}),
        contextWindow: number(model.contextWindow) || null,
        maxOutputTokens: number(model.maxTokens) || null,
        supportsThinking: model.reasoning === true,
        supportsImageInput: texts(model.input).includes('image'),
        ...pricing(record(model.cost)),
      },
    ];
  });
}

/** A model without a price costs 0 here. */
function pricing(cost: Json): Pick<ModelCapabilities, 'pricing'> {
  const input = number(cost.input) ?? 0;
  const output = number(cost.output) ?? 0;
  if (input === 0 && output === 0) return {};
  const cacheRead = number(cost.cacheRead);
  const cacheCreation = number(cost.cacheWrite);
  return {
    pricing: { input, output, ...(cacheRead ? { cacheRead } : {}), ...(cacheCreation ? { cacheCreation } : {}) },
  };
}
