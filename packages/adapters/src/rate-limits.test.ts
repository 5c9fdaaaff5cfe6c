import { modesOf } from '@agent-mux/core';
import { agentSetups, differencesOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { builtInAdapters } from './catalog.ts';

describe('reportsRateLimits', () => {
  const verified = builtInAdapters().filter(({ agent }) => agentSetups[agent] !== undefined);

  // The verification case "rate-limit" asserts a rate_limit_error, which the engine maps to `quota`, unless a quirk
  // says silent.
  it.each(verified.map((adapter) => [adapter.agent, adapter] as const))(
    'is true in the modes of %s that fill quota',
    (agent, adapter) => {
      const declared = modesOf(adapter).map(({ name, capabilities }) => [name, capabilities.reportsRateLimits]);
      const filled = modesOf(adapter).map((mode) => [
        mode.name,
        differencesOf(agentSetups[agent], mode).quirks.rateLimit !== 'silent',
      ]);
      expect(declared).toEqual(filled);
    },
  );
});
