import type { TokenUsage } from '../contract/events.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import { costOf, separateCache } from '../models/cost.ts';
import { pricingOf } from '../models/facts.ts';
import type { Pricing } from '../models/prices.ts';

/** The prices of models, by the names that agents store. */
export class Prices {
  readonly #adapters: AdapterRegistry;
  readonly #known = new Map<string, Pricing | null>();

  constructor(adapters: AdapterRegistry) {
    this.#adapters = adapters;
  }

  /** Null if unknown. */
  estimate(agent: string, model: string, usage: TokenUsage | null): number | null {
    if (!usage || model === '') return null;
    const pricing = this.#pricingOf(agent, model);
    return pricing && costOf(pricing, separateCache(usage));
  }

  #pricingOf(agent: string, model: string): Pricing | null {
    const key = `${agent}\n${model}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const models = this.#adapters.has(agent) ? this.#adapters.get(agent).models : [];
    const pricing = pricingOf(models, model) ?? null;
    this.#known.set(key, pricing);
    return pricing;
  }
}
