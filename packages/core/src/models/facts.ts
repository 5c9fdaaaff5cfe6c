import type { ModelCapabilities } from '../contract/capabilities.ts';
import type { TokenUsage } from '../contract/events.ts';
import { costOf, separateCache } from './cost.ts';
import { findListPrice, type Pricing } from './prices.ts';

/** Finds a model by id, else by alias, else case-insensitively. */
export function findModel(models: readonly ModelCapabilities[], name: string): ModelCapabilities | undefined {
  const lower = name.toLowerCase();
  return (
    models.find(({ id }) => id === name) ??
    models.find(({ aliases }) => aliases?.includes(name)) ??
    models.find(({ id, aliases = [] }) => [id, ...aliases].some((known) => known.toLowerCase() === lower))
  );
}

/** Price of a model: as reported by the agent, else from the table. */
export function pricingOf(models: readonly ModelCapabilities[], name: string): Pricing | undefined {
  const known = findModel(models, name) ?? findModel(models, name.slice(name.lastIndexOf('/') + 1));
  return known?.pricing ?? findListPrice(known?.id ?? name);
}

/** Null: the model, a price or a count is unknown. */
export function estimateCost(models: readonly ModelCapabilities[], name: string, usage: TokenUsage): number | null {
  const pricing = pricingOf(models, name);
  return pricing ? costOf(pricing, separateCache(usage)) : null;
}

export function withListPrice(model: ModelCapabilities): ModelCapabilities {
  const pricing = model.pricing ? undefined : findListPrice(model.id);
  return pricing === undefined ? model : { ...model, pricing };
}

/** The models the agent reports, with missing fields filled in from the bundled list. */
export function withBundledFacts(
  reported: readonly ModelCapabilities[],
  bundled: readonly ModelCapabilities[],
): ModelCapabilities[] {
  return reported.map((model) => {
    const known = bundled.find(({ id }) => id === model.id);
    if (!known) return model;
    const aliases = [...new Set([...(model.aliases ?? []), ...(known.aliases ?? [])])];
    const displayName = model.displayName ?? known.displayName;
    const pricing = model.pricing ?? known.pricing;
    return {
      ...model,
      ...(displayName === undefined ? {} : { displayName }),
      ...(aliases.length === 0 ? {} : { aliases }),
      contextWindow: model.contextWindow ?? known.contextWindow,
      maxOutputTokens: model.maxOutputTokens ?? known.maxOutputTokens,
      // Agents often omit it from their lists, which is read as false.
      supportsThinking: model.supportsThinking || known.supportsThinking,
      supportsImageInput: model.supportsImageInput || known.supportsImageInput,
      ...(pricing === undefined ? {} : { pricing }),
    };
  });
}
