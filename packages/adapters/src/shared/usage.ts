import type { TokenUsage } from '@agent-mux/core';
import { amount, type Json } from './json.ts';

/** Usage from an object with the four counts under their plain names; a missing count is unknown. */
export function plainTokenUsage(counts: Json): TokenUsage {
  const inputTokens = amount(counts.inputTokens) ?? null;
  const outputTokens = amount(counts.outputTokens) ?? null;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens: amount(counts.cacheReadTokens) ?? null,
    cacheCreationTokens: amount(counts.cacheWriteTokens) ?? null,
    totalTokens: inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens,
  };
}
