import type { RunResult } from '@agent-mux/core';
import { formatDuration as duration } from '@agent-mux/core/light';

export function formatTokens(
  usage: Pick<NonNullable<RunResult['usage']>, 'inputTokens' | 'outputTokens' | 'totalTokens'>,
): string[] {
  const { inputTokens, outputTokens, totalTokens } = usage;
  if (inputTokens !== null && outputTokens !== null)
    return [`${count(inputTokens)} in, ${count(outputTokens)} out tokens`];
  return totalTokens === null ? [] : [`${count(totalTokens)} tokens`];
}

export function formatCost(costUsd: number | null, isEstimated: boolean): string[] {
  if (costUsd === null) return [];
  const amount = costUsd > 0 && costUsd < 0.01 ? costUsd.toFixed(6) : costUsd.toFixed(2);
  return [`$${amount}${isEstimated ? ' (estimated)' : ''}`];
}

export function count(number: number): string {
  if (number < 1000) return String(number);
  return number < 1_000_000 ? `${(number / 1000).toFixed(1)}k` : `${(number / 1_000_000).toFixed(1)}M`;
}

export { duration };
