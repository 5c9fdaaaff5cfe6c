import type { SessionEvent } from '@agent-mux/api';
import { type Estimate, NO_USAGE, ResultFold, type TokenUsage } from '@agent-mux/core';
import type { UsageDelta } from '../store/store.ts';

export interface Sum {
  usage: TokenUsage | null;
  costUsd: number | null;
  costSource: 'reported' | 'estimated' | null;
}

const FIELDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'totalTokens'] as const;

/** What a session has used: agents tell differences, totals of a turn or of a process, and only sums of differences can be stored. */
export class Tally {
  readonly #estimate: Estimate;
  /** Of the launches before this one. */
  #before: Sum;
  #fold: ResultFold;
  #told: Sum = { usage: null, costUsd: null, costSource: null };

  constructor(before: Sum, estimate: Estimate) {
    this.#before = before;
    this.#estimate = estimate;
    this.#fold = new ResultFold(estimate);
  }

  get sum(): Sum {
    return add(this.#before, this.#now());
  }

  /** What was taken so far is in the sum that it began with: it told the same events before. */
  endRecall(): void {
    const { usage, costUsd } = this.#now();
    const before = this.#before;
    const restUsage = before.usage && subtract(before.usage, usage);
    const restCost = before.costUsd === null ? null : Math.max(0, before.costUsd - (costUsd ?? 0));
    // A rest of zero is no rest: it would outlive a total that the agent takes back.
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
    this.#told = { usage: null, costUsd: null, costSource: null };
  }

  /** What it adds to what was used, where it adds anything. */
  take(event: SessionEvent): Omit<UsageDelta, 'day' | 'agent' | 'project' | 'seq'> | undefined {
    if (event.type === 'user_message' || event.type === 'keeper_lost' || event.type === 'run_result') return undefined;
    this.#fold.take(event);
    if (event.type !== 'cost') return undefined;
    const now = this.#now();
    const told = this.#told;
    this.#told = now;
    return {
      model: event.model ?? this.#fold.model ?? '',
      usage: subtract(now.usage, told.usage),
      costUsd: now.costUsd === null ? null : Math.max(0, now.costUsd - (told.costUsd ?? 0)),
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
