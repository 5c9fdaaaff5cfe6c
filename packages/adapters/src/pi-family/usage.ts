import type { EventBody } from '@agent-mux/core';
import { isRecord, number, record } from '../shared/json.ts';

/**
 * One request to the model. Money is computed by the agent from its list of prices; a model without a price costs 0 there,
 * which is not known here to be true.
 */
export function costOf(usage: unknown, model?: string): EventBody[] {
  if (!isRecord(usage)) return [];
  const tokens = {
    inputTokens: number(usage.input) ?? null,
    outputTokens: number(usage.output) ?? null,
    cacheReadTokens: number(usage.cacheRead) ?? null,
    cacheCreationTokens: number(usage.cacheWrite) ?? null,
    totalTokens: number(usage.totalTokens) ?? null,
  };
  const counted = Object.values(tokens).some((count) => count !== null && count > 0);
  if (!counted) return [];
  const costUsd = number(record(usage.cost).total) || null;
  return [{ type: 'cost', usage: tokens, costUsd, scope: 'delta', source: 'reported', ...(model ? { model } : {}) }];
}
