import type { BudgetStatus, Session } from '@agent-mux/api/browser';
import { moneyOf, tokensOf } from '../../parts/format.logic.ts';

/** Why it waits, in a sentence. */
export function limitWords({ limit, waitsFor }: Pick<Session, 'limit' | 'waitsFor'>): string {
  if (limit) return limit.reason ?? limit.message;
  return waitsFor?.message ?? 'waits for a limit';
}

/** What is used of what may be, in words and as a share of the whole: of money or tokens the one that is nearer to its end. */
export function budgetText(
  budget: Pick<BudgetStatus, 'usd' | 'tokens' | 'usedUsd' | 'estimatedUsd' | 'unknownCosts' | 'usedTokens'>,
): { text: string; share: number } {
  const { usd, tokens, usedUsd, estimatedUsd, unknownCosts, usedTokens } = budget;
  const parts: string[] = [];
  if (usd !== null) parts.push(`${moneyOf(usedUsd, estimatedUsd > 0)} of ${moneyOf(usd)}`);
  if (tokens !== null) parts.push(`${tokensOf(usedTokens)} of ${tokensOf(tokens)} tokens`);
  if (unknownCosts > 0 && usd !== null) parts.push(`${unknownCosts} calls of unknown cost not in it`);
  const shares = [usd === null ? 0 : usedUsd / usd, tokens === null ? 0 : usedTokens / tokens];
  return { text: parts.join(', '), share: Math.max(...shares) };
}
