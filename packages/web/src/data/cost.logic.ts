import type { SessionEvent } from '@agent-mux/api/browser';

/** Cost of the current turn so far. Null means unknown, which is not zero. */
export interface TurnCost {
  turn: number | null;
  isEstimated: boolean;
  /** Total of the process so far, for agents that report totals. */
  session: number;
}

export const NO_COST: TurnCost = { turn: null, isEstimated: false, session: 0 };

export function addTurnCost(cost: TurnCost, event: Extract<SessionEvent, { type: 'cost' }>): TurnCost {
  const { costUsd, scope, source } = event;
  if (costUsd === null) return cost;
  const isEstimated = cost.isEstimated || source === 'estimated';
  if (scope === 'turn') return { ...cost, turn: costUsd, isEstimated };
  if (scope === 'delta') return { ...cost, turn: (cost.turn ?? 0) + costUsd, isEstimated };
  return { turn: (cost.turn ?? 0) + Math.max(0, costUsd - cost.session), isEstimated, session: costUsd };
}
