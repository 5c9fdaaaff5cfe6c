import { modesOf } from '@agent-mux/core';
import { agentProofs, differencesOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { builtInAdapters } from './catalogue.ts';

describe('reportsRateLimits', () => {
  const proven = builtInAdapters().filter(({ agent }) => agentProofs[agent] !== undefined);

  // The proof case "rate-limit" asserts a rate_limit_error, of which the engine makes `quota`, unless a quirk says silent.
  it.each(proven.map((adapter) => [adapter.agent, adapter] as const))(
    'is true in the modes of %s that fill quota',
    (agent, adapter) => {
      const declared = modesOf(adapter).map(({ name, capabilities }) => [name, capabilities.reportsRateLimits]);
      const filled = modesOf(adapter).map((mode) => [
        mode.name,
        differencesOf(agentProofs[agent], mode).quirks.rateLimit !== 'silent',
      ]);
      expect(declared).toEqual(filled);
    },
  );
});
