import type { EventBody, TokenUsage } from '@agent-mux/core';
import { amount, isRecord, record } from '../shared/json.ts';

export interface Spent {
  usage: TokenUsage;
  costUsd: number | null;
}

/** One request to the model. The agent computes the cost from its list of prices: it is reported as is, including 0. */
export function spentOf(usage: unknown): Spent | undefined {
  if (!isRecord(usage)) return undefined;
  const tokens = {
    inputTokens: amount(usage.input) ?? null,
    outputTokens: amount(usage.output) ?? null,
    cacheReadTokens: amount(usage.cacheRead) ?? null,
    cacheCreationTokens: amount(usage.cacheWrite) ?? null,
    totalTokens: amount(usage.totalTokens) ?? null,
  };
  const counted = Object.values(tokens).some((count) => count !== null && count > 0);
  return counted ? { usage: tokens, costUsd: amount(record(usage.cost).total) ?? null } : undefined;
}

export function costOf(usage: unknown, model?: string): EventBody[] {
  const spent = spentOf(usage);
  if (!spent) return [];
  return [{ type: 'cost', ...spent, scope: 'delta', source: 'reported', ...(model ? { model } : {}) }];
}
