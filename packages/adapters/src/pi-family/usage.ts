import type { EventBody, TokenUsage } from '@agent-mux/core';
import { isRecord, number, record } from '../shared/json.ts';

export interface Spent {
  usage: TokenUsage;
  costUsd: number | null;
}

/**
 * One request to the model. Money is computed by the agent from its list of prices; a model without a price costs 0 there,
 * which is not known here to be true.
 */
export function spentOf(usage: unknown): Spent | undefined {
  if (!isRecord(usage)) return undefined;
  const tokens = {
    inputTokens: number(usage.input) ?? null,
    outputTokens: number(usage.output) ?? null,
    cacheReadTokens: number(usage.cacheRead) ?? null,
    cacheCreationTokens: number(usage.cacheWrite) ?? null,
    totalTokens: number(usage.totalTokens) ?? null,
  };
  const counted = Object.values(tokens).some((count) => count !== null && count > 0);
  return counted ? { usage: tokens, costUsd: number(record(usage.cost).total) || null } : undefined;
}

export function costOf(usage: unknown, model?: string): EventBody[] {
  const spent = spentOf(usage);
  if (!spent) return [];
  return [{ type: 'cost', ...spent, scope: 'delta', source: 'reported', ...(model ? { model } : {}) }];
}
