import { describe, expect, it } from 'vitest';
import { readCostRecord } from './usage.ts';

const NOTHING = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheCreationTokens: null,
  totalTokens: null,
};

describe('readCostRecord', () => {
  it('reads snake_case counts nested next to a cost', () => {
    const raw = {
      total_cost_usd: 0.25,
      usage: { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
    };
    expect(readCostRecord(raw)).toEqual({
      usage: { inputTokens: 10, outputTokens: 4, cacheReadTokens: 3, cacheCreationTokens: 2, totalTokens: 14 },
      costUsd: 0.25,
    });
  });

  it('reads flat camelCase counts', () => {
    expect(readCostRecord({ promptTokens: 7, completionTokens: 1, totalTokens: 9, costUsd: 0 })).toEqual({
      usage: { ...NOTHING, inputTokens: 7, outputTokens: 1, totalTokens: 9 },
      costUsd: 0,
    });
  });

  it('reads a nested cache and a plain cost', () => {
    expect(readCostRecord({ cost: 0.5, tokens: { input: 5, output: 6, cache: { read: 7, write: 8 } } })).toEqual({
      usage: { inputTokens: 5, outputTokens: 6, cacheReadTokens: 7, cacheCreationTokens: 8, totalTokens: 11 },
      costUsd: 0.5,
    });
  });

  it('uses the total of an itemized cost and never its items as token counts', () => {
    expect(
      readCostRecord({ input: 5, output: 6, cacheRead: 1, cacheWrite: 2, cost: { input: 0.1, total: 0.3 } }),
    ).toEqual({
      usage: { inputTokens: 5, outputTokens: 6, cacheReadTokens: 1, cacheCreationTokens: 2, totalTokens: 11 },
      costUsd: 0.3,
    });
  });

  it('reads the cached part of prompt details', () => {
    const raw = { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } };
    expect(readCostRecord(raw)?.usage.cacheReadTokens).toBe(4);
  });

  it('reads counts named after candidates', () => {
    const raw = {
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, cachedContentTokenCount: 1, totalTokenCount: 5 },
    };
    expect(readCostRecord(raw)?.usage).toEqual({
      ...NOTHING,
      inputTokens: 3,
      outputTokens: 2,
      cacheReadTokens: 1,
      totalTokens: 5,
    });
  });

  it('returns null for unreported counts and keeps a reported zero', () => {
    expect(readCostRecord({ usage: { output_tokens: 0 } })).toEqual({
      usage: { ...NOTHING, outputTokens: 0 },
      costUsd: null,
    });
    expect(readCostRecord({ cost_usd: 1 })).toEqual({ usage: NOTHING, costUsd: 1 });
  });

  it.each([
    undefined,
    null,
    'usage',
    12,
    [],
    {},
    { usage: {} },
    { usage: { input_tokens: 'many' } },
    { input_tokens: Number.NaN },
    { input_tokens: -1 },
  ])('recognizes nothing in %j', (raw) => {
    expect(readCostRecord(raw)).toBeNull();
  });
});
