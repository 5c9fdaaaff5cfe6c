import type { EventBody, TokenUsage } from '@agent-mux/core';
import { amount, record } from '../shared/json.ts';

export interface Spent {
  usage: TokenUsage;
  costUsd: number | null;
}

/**
 * Tokens and money of one model request, from a finished message or a `step-finish` part. `input` excludes the cached
 * tokens, `output` the reasoning. A free model and one without a known price both cost 0, as reported.
 */
export function spentOf(source: { tokens?: unknown; cost?: unknown }): Spent | undefined {
  const tokens = record(source.tokens);
  const cache = record(tokens.cache);
  const input = amount(tokens.input) ?? null;
  const output = sum(amount(tokens.output), amount(tokens.reasoning));
  const cacheReadTokens = amount(cache.read) ?? null;
  const cacheCreationTokens = amount(cache.write) ?? null;
  const counted = (input ?? 0) + (output ?? 0) + (cacheReadTokens ?? 0) + (cacheCreationTokens ?? 0);
  if (counted === 0) return undefined;
  const usage = {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens,
    cacheCreationTokens,
    totalTokens: amount(tokens.total) ?? counted,
  };
  return { usage, costUsd: amount(source.cost) ?? null };
}

export function costEvent(source: { tokens?: unknown; cost?: unknown }, model?: string): EventBody[] {
  const spent = spentOf(source);
  if (!spent) return [];
  return [{ type: 'cost', ...spent, scope: 'delta', source: 'reported', ...(model ? { model } : {}) }];
}

function sum(a: number | undefined, b: number | undefined): number | null {
  return a === undefined && b === undefined ? null : (a ?? 0) + (b ?? 0);
}
