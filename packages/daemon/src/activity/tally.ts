import type { SessionEvent } from '@agent-mux/api';
import { type Estimate, NO_USAGE, ResultFold, type TokenUsage } from '@agent-mux/core';
import type { UsageDelta } from '../store/store.ts';

export interface Sum {
  usage: TokenUsage | null;
  costUsd: number | null;
  costSource: 'reported' | 'estimated' | null;
}

const FIELDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'totalTokens'] as const;

/** Usage of a session. Agents report deltas, or totals of a turn or process; only sums of deltas can be stored. */
export class Tally {
  readonly #estimate: Estimate;
  /** Sum of the earlier launches. */
  #before: Sum;
  #fold: ResultFold;
  #reported: Sum = { usage: null, costUsd: null, costSource: null };

  constructor(before: Sum, estimate: Estimate) {
    this.#before = before;
    this.#estimate = estimate;
    this.#fold = new ResultFold(estimate);
  }

  get sum(): Sum {
    return add(this.#before, this.#now());
  }

  /** Subtracts the replayed events from the initial sum, which already contains them. */
  endRecall(): void {
    const { usage, costUsd } = this.#now();
    const before = this.#before;
    const restUsage = before.usage && subtract(before.usage, usage);
    const restCost = before.costUsd === null ? null : Math.max(0, before.costUsd - (costUsd ?? 0));
    // A remainder of zero is dropped: it would outlive a total that the agent corrects later.
    const hasUsage = usage === null || FIELDS.some((field) => (restUsage?.[field] ?? 0) > 0);
    const hasCost = costUsd === null || (restCost ?? 0) > 0;
    this.#before = {
      usage: hasUsage ? restUsage : null,
      costUsd: hasCost ? restCost : null,
      costSource: hasCost ? before.costSource : null,
    };
  }

  startLaunch(): void {
    this.#before = this.sum;
    this.#fold = new ResultFold(this.#estimate);
    this.#reported = { usage: null, costUsd: null, costSource: null };
  }

  /** Returns the usage that the event adds, if any. */
  take(event: SessionEvent): Omit<UsageDelta, 'day' | 'agent' | 'project' | 'seq'> | undefined {
    if (event.type === 'user_message' || event.type === 'keeper_lost' || event.type === 'run_result') return undefined;
    this.#fold.take(event);
    if (event.type !== 'cost') return undefined;
    const now = this.#now();
    const before = this.#reported;
    this.#reported = now;
    return {
      model: event.model ?? this.#fold.model ?? '',
      usage: subtract(now.usage, before.usage),
      costUsd: now.costUsd === null ? null : Math.max(0, now.costUsd - (before.costUsd ?? 0)),
      estimated: now.costSource === 'estimated',
    };
  }

  #now(): Sum {
    const { usage, costUsd, costSource } = this.#fold;
    return { usage, costUsd, costSource };
  }
}

function add(a: Sum, b: Sum): Sum {
  return {
    usage: a.usage && b.usage ? combine(a.usage, b.usage, (x, y) => x + y) : (a.usage ?? b.usage),
    costUsd: a.costUsd === null ? b.costUsd : a.costUsd + (b.costUsd ?? 0),
    costSource: a.costSource === 'estimated' ? a.costSource : (b.costSource ?? a.costSource),
  };
}

function subtract(now: TokenUsage | null, before: TokenUsage | null): TokenUsage {
  return combine(now ?? NO_USAGE, before ?? NO_USAGE, (x, y) => Math.max(0, x - y));
}

function combine(a: TokenUsage, b: TokenUsage, by: (a: number, b: number) => number): TokenUsage {
  const joined = { ...NO_USAGE };
  for (const field of FIELDS)
    joined[field] = a[field] === null && b[field] === null ? null : by(a[field] ?? 0, b[field] ?? 0);
  return joined;
}
