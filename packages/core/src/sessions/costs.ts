import type { CostGroup, CostRow, SessionCosts } from '../contract/session-queries.ts';
import { sumUsage } from '../session-stores/transcript.ts';
import type { UsedInGroup } from './index-queries.ts';
import type { Prices } from './prices.ts';
import { tokensOf } from './usage-rows.ts';

/** Days in chronological order, everything else by cost. */
export function listCosts(used: readonly UsedInGroup[], by: CostGroup, prices: Prices): Omit<SessionCosts, 'problems'> {
  const groups = new Map<string | null, UsedInGroup[]>();
  for (const one of used) {
    const group = groups.get(one.group);
    if (group) group.push(one);
    else groups.set(one.group, [one]);
  }
  const rows = [...groups].map(([group, ones]) => sumCosts(group, ones, prices));
  rows.sort(by === 'day' ? compareNames : compareCosts);
  return { rows, total: sumCosts(null, used, prices) };
}

function sumCosts(group: string | null, used: readonly UsedInGroup[], prices: Prices): CostRow {
  let costUsd: number | null = null;
  let estimatedUsd = 0;
  let unpricedTokens = 0;
  for (const one of used) {
    const estimate = one.costUsd === null ? prices.estimate(one.agent, one.model, one.usage) : null;
    const cost = one.costUsd ?? estimate;
    if (cost === null) unpricedTokens += tokensOf(one.usage);
    else costUsd = (costUsd ?? 0) + cost;
    estimatedUsd += estimate ?? 0;
  }
  return {
    group,
    sessions: new Set(used.map(({ session }) => session)).size,
    usage: sumUsage(used.map(({ usage }) => usage ?? undefined)) ?? null,
    costUsd,
    estimatedUsd,
    unpricedTokens,
  };
}

function compareNames(a: CostRow, b: CostRow): number {
  return (a.group ?? '').localeCompare(b.group ?? '');
}

function compareCosts(a: CostRow, b: CostRow): number {
  return (b.costUsd ?? -1) - (a.costUsd ?? -1) || tokensOf(b.usage) - tokensOf(a.usage) || compareNames(a, b);
}
