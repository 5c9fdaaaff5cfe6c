import { describe, expect, it } from 'vitest';
import { builtInAdapters } from '../src/catalog.ts';

describe('prices of models', () => {
  it('are in one table of core and in no adapter, except for the demo model', () => {
    const priced = builtInAdapters().filter(({ models }) => models.some(({ pricing }) => pricing !== undefined));
    expect(priced.map(({ agent }) => agent)).toEqual(['demo']);
  });
});

describe('context window of a mode', () => {
  it('is that of the agent’s default model', () => {
    for (const { agent, models, defaultModelId, modes = [] } of builtInAdapters()) {
      const window = models.find(({ id }) => id === defaultModelId)?.contextWindow ?? null;
      const said = modes.map(({ capabilities }) => capabilities.contextWindow);
      expect({ agent, windows: said }).toEqual({ agent, windows: said.map(() => window) });
    }
  });
});
