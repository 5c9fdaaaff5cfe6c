import type { ModelCapabilities } from '../contract/capabilities.ts';
import type { TokenUsage } from '../contract/events.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import { costOf } from '../models/cost.ts';

type Pricing = NonNullable<ModelCapabilities['pricing']>;

/** The prices of models, by the names that agents write down: the agent's own list first, then those of the others. */
export class Prices {
  readonly #adapters: AdapterRegistry;
  readonly #known = new Map<string, Pricing | null>();

  constructor(adapters: AdapterRegistry) {
    this.#adapters = adapters;
  }

  /** Null: nobody knows. */
  estimate(agent: string, model: string, usage: TokenUsage | null): number | null {
    if (!usage || model === '') return null;
    const pricing = this.#pricingOf(agent, model);
    return pricing && costOf(pricing, cacheApart(usage));
  }

  #pricingOf(agent: string, model: string): Pricing | null {
    const key = `${agent}\n${model}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const agents = this.#adapters.list().map((info) => info.agent);
    const inOrder = [agent, ...agents.filter((other) => other !== agent)].filter((name) => this.#adapters.has(name));
    const models = inOrder.flatMap((name) => this.#adapters.get(name).models);
    const found = spellings(model)
      .map((name) => models.find(({ id, aliases, pricing }) => pricing && (id === name || aliases?.includes(name))))
      .find((entry) => entry !== undefined);
    const pricing = found?.pricing ?? null;
    this.#known.set(key, pricing);
    return pricing;
  }
}

/** As written, without the provider before it, without the date behind it. */
function spellings(model: string): string[] {
  const bare = model.slice(model.lastIndexOf('/') + 1);
  return [...new Set([model, bare, bare.replace(/-\d{8}$/, '')])];
}

/** Some vendors count what came from the cache as input: then the total has no room for it beside the input. */
function cacheApart(usage: TokenUsage): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, totalTokens } = usage;
  if (inputTokens === null || !cacheReadTokens || totalTokens === null) return usage;
  const isIncluded = totalTokens < inputTokens + (outputTokens ?? 0) + cacheReadTokens;
  return isIncluded ? { ...usage, inputTokens: Math.max(0, inputTokens - cacheReadTokens) } : usage;
}
