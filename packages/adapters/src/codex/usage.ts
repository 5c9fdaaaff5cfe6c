import type { EventBody, TokenUsage } from '@agent-mux/core';
import { amount, type Json } from '../shared/json.ts';

/** The names of the counts in the two protocols. Both count cached tokens as input; here they are separate. */
const APP_SERVER = {
  input: 'inputTokens',
  cached: 'cachedInputTokens',
  written: 'cacheWriteInputTokens',
  output: 'outputTokens',
};
const EXEC = {
  input: 'input_tokens',
  cached: 'cached_input_tokens',
  written: 'cache_write_input_tokens',
  output: 'output_tokens',
};

export function requestCost(counts: Json, model: string | null): EventBody {
  return cost(counts, APP_SERVER, 'delta', model);
}

/** `turn.completed` counts the whole thread, turns of earlier processes included (seen with 0.166). */
export function threadCost(counts: Json): EventBody {
  return cost(counts, EXEC, 'session', null);
}

/** Usage of one request, in a rollout. */
export function rolloutUsage(counts: Json): TokenUsage {
  return tokenUsage(counts, EXEC);
}

function cost(
  counts: Json,
  names: typeof APP_SERVER,
  scope: 'delta' | 'session',
  model: string | null,
): Extract<EventBody, { type: 'cost' }> {
  return {
    type: 'cost',
    usage: tokenUsage(counts, names),
    costUsd: null,
    scope,
    source: 'reported',
    ...(model === null ? {} : { model }),
  };
}

function tokenUsage(counts: Json, names: typeof APP_SERVER): TokenUsage {
  const input = amount(counts[names.input]);
  const cached = amount(counts[names.cached]);
  const written = amount(counts[names.written]);
  const output = amount(counts[names.output]);
  return {
    inputTokens: input === undefined ? null : Math.max(0, input - (cached ?? 0) - (written ?? 0)),
    outputTokens: output ?? null,
    cacheReadTokens: cached ?? null,
    cacheCreationTokens: written ?? null,
    totalTokens: input === undefined || output === undefined ? null : input + output,
  };
}
