import type { ModelCapabilities } from '../contract/capabilities.ts';
import type { TokenUsage } from '../contract/events.ts';

const PER = 1_000_000;

/** Null if a count of input or output is missing, or tokens without a known price were used. */
export function costOf(pricing: NonNullable<ModelCapabilities['pricing']>, usage: Partial<TokenUsage>): number | null {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage;
  const parts = [
    priceTokens(inputTokens ?? null, pricing.input),
    priceTokens(outputTokens ?? null, pricing.output),
    // An agent that reports no cache tokens used none.
    priceTokens(cacheReadTokens ?? 0, pricing.cacheRead),
    priceTokens(cacheCreationTokens ?? 0, pricing.cacheCreation),
  ];
  let sum = 0;
  for (const cost of parts) {
    if (cost === null) return null;
    sum += cost;
  }
  return sum;
}

/** Some providers count cached tokens as input: then input plus cache would exceed the total. */
export function separateCache(usage: TokenUsage): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, totalTokens } = usage;
  if (inputTokens === null || !cacheReadTokens || totalTokens === null) return usage;
  const isIncluded = totalTokens < inputTokens + (outputTokens ?? 0) + cacheReadTokens;
  return isIncluded ? { ...usage, inputTokens: Math.max(0, inputTokens - cacheReadTokens) } : usage;
}

function priceTokens(tokens: number | null, price: number | undefined): number | null {
  if (tokens === 0) return 0;
  if (tokens === null || !(tokens > 0) || price === undefined) return null;
  return (tokens * price) / PER;
}
