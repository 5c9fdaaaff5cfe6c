import type { BudgetStatus, Session } from '@agent-mux/api/browser';
import { moneyOf, tokensOf } from '../../components/format.logic.ts';

/** Why a session is limited. */
export function limitText({ limit, waitingFor }: Pick<Session, 'limit' | 'waitingFor'>): string {
  if (limit) return limit.reason ?? limit.message;
  return waitingFor?.message ?? 'paused by a limit';
}

/** Used amount of a budget as text and as a share: of money or tokens, whichever is more used up. */
export function budgetText(
  budget: Pick<BudgetStatus, 'usd' | 'tokens' | 'usedUsd' | 'estimatedUsd' | 'unpricedCalls' | 'usedTokens'>,
): { text: string; share: number } {
  const { usd, tokens, usedUsd, estimatedUsd, unpricedCalls, usedTokens } = budget;
  const parts: string[] = [];
  if (usd !== null) parts.push(`${moneyOf(usedUsd, estimatedUsd > 0)} of ${moneyOf(usd)}`);
  if (tokens !== null) parts.push(`${tokensOf(usedTokens)} of ${tokensOf(tokens)} tokens`);
  if (unpricedCalls > 0 && usd !== null) parts.push(`${unpricedCalls} calls of unknown cost not included`);
  const shares = [usd === null ? 0 : usedUsd / usd, tokens === null ? 0 : usedTokens / tokens];
  return { text: parts.join(', '), share: Math.max(...shares) };
}
