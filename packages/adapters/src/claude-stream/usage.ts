import type { EventBody, TokenUsage } from '@agent-mux/core';
import { amount, type Json, record, word } from '../shared/json.ts';

/** Plain counts; a missing count is zero in subtractions but null when shown. */
export interface Counts {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

export const NO_COUNTS: Counts = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };

/** Anthropic's `usage` object; `undefined` fields keep what `base` says (a `message_delta` names only what changed). */
export function countsOf(usage: unknown, base: Counts = NO_COUNTS): Counts {
  const u = record(usage);
  return {
    input: amount(u.input_tokens) ?? base.input,
    output: amount(u.output_tokens) ?? base.output,
    cacheRead: amount(u.cache_read_input_tokens) ?? base.cacheRead,
    cacheCreation: amount(u.cache_creation_input_tokens) ?? base.cacheCreation,
  };
}

/** Claude's `modelUsage`: one entry per model, camel case, with the price. Money is null where no entry has any. */
export function modelUsageOf(usage: unknown): { counts: Counts; costUsd: number | null } {
  let counts = NO_COUNTS;
  let costUsd: number | null = null;
  for (const entry of Object.values(record(usage))) {
    const u: Json = record(entry);
    counts = addCounts(counts, {
      input: amount(u.inputTokens) ?? 0,
      output: amount(u.outputTokens) ?? 0,
      cacheRead: amount(u.cacheReadInputTokens) ?? 0,
      cacheCreation: amount(u.cacheCreationInputTokens) ?? 0,
    });
    const cost = amount(u.costUSD);
    if (cost !== undefined) costUsd = (costUsd ?? 0) + cost;
  }
  return { counts, costUsd };
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheCreation: a.cacheCreation + b.cacheCreation,
  };
}

/** `total` minus `known`, never negative. */
export function subtractCounts(total: Counts, known: Counts): Counts {
  return {
    input: Math.max(0, total.input - known.input),
    output: Math.max(0, total.output - known.output),
    cacheRead: Math.max(0, total.cacheRead - known.cacheRead),
    cacheCreation: Math.max(0, total.cacheCreation - known.cacheCreation),
  };
}

export function isNothing(counts: Counts): boolean {
  return counts.input + counts.output + counts.cacheRead + counts.cacheCreation === 0;
}

/** `inputIncludesCache`: OpenAI counts cached tokens as input and does not report cache writes. */
export function tokenUsage(counts: Counts, inputIncludesCache = false): TokenUsage {
  const fresh = counts.input + counts.output;
  return {
    inputTokens: counts.input,
    outputTokens: counts.output,
    cacheReadTokens: counts.cacheRead,
    cacheCreationTokens: inputIncludesCache ? null : counts.cacheCreation,
    totalTokens: inputIncludesCache ? fresh : fresh + counts.cacheRead + counts.cacheCreation,
  };
}

export function costDelta(
  usage: TokenUsage,
  costUsd: number | null,
  { model, tier }: { model?: string; tier?: string } = {},
): EventBody {
  return {
    type: 'cost',
    usage,
    costUsd,
    scope: 'delta',
    source: 'reported',
    ...(model ? { model } : {}),
    ...(tier ? { serviceTier: tier } : {}),
  };
}

/** `service_tier` of a `usage` object: the tier the provider charges by. */
export function tierOf(usage: unknown): string | undefined {
  return word(record(usage).service_tier);
}
