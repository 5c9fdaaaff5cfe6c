import type { TokenUsage } from '@agent-mux/core';
import { type Json, number } from './json.ts';

/** Of an object with the four counts under their plain names; a count that is not there is not known. */
export function plainTokenUsage(counts: Json): TokenUsage {
  const inputTokens = number(counts.inputTokens) ?? null;
  const outputTokens = number(counts.outputTokens) ?? null;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens: number(counts.cacheReadTokens) ?? null,
    cacheCreationTokens: number(counts.cacheWriteTokens) ?? null,
    totalTokens: inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens,
  };
}
